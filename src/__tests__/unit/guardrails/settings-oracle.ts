import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { DAY_MS, firstInstantMs, localDay, wallMs } from './zone-oracle.ts'

export const OFFICE_HOURS: SendingSettings = {
  timeZone: 'Europe/Berlin',
  nextTimeZone: null,
  nextTimeZoneAt: null,
  sendingDays: [1, 2, 3, 4, 5],
  windowStartMinute: 540,
  windowEndMinute: 1020,
  daysOff: [],
  dailyQuota: 200,
  rampUpEnabled: false,
  rampUpStart: 20,
  rampUpIncrement: 5,
  jitterMinSeconds: 30,
  jitterMaxSeconds: 90,
}

export const dateText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
export const dayNumber = (date: string): number => Date.parse(date) / DAY_MS

/** The zone that counts at an instant, and from when to when. */
function reignAt(settings: SendingSettings, atMs: number) {
  const changeMs = settings.nextTimeZoneAt?.getTime() ?? Number.POSITIVE_INFINITY
  return atMs < changeMs
    ? { zone: settings.timeZone, fromMs: Number.NEGATIVE_INFINITY, toMs: changeMs }
    : { zone: settings.nextTimeZone ?? settings.timeZone, fromMs: changeMs, toMs: Number.POSITIVE_INFINITY }
}

/** The local date that an email of that instant counts towards. */
export function countedDay(settings: SendingSettings, atMs: number): number {
  const { zone, fromMs } = reignAt(settings, atMs)
  const day = localDay(zone, atMs)
  return Number.isFinite(fromMs) ? Math.max(day, localDay(settings.timeZone, fromMs - 1)) : day
}

/** The window that is open at an instant, clipped to the reign of its zone, or null. */
export function windowAround(
  settings: SendingSettings,
  atMs: number,
): { opensAtMs: number; closesAtMs: number } | null {
  const { zone, fromMs, toMs } = reignAt(settings, atMs)
  const today = Math.floor(wallMs(zone, atMs) / DAY_MS)
  const minutes = settings.windowEndMinute - settings.windowStartMinute
  const length = (minutes <= 0 ? minutes + 1440 : minutes) * 60_000
  for (let opened = today - 2; opened <= today + 1; opened++) {
    const weekday = new Date(opened * DAY_MS).getUTCDay() || 7
    if (!settings.sendingDays.includes(weekday) || settings.daysOff.includes(dateText(opened))) continue
    const opensOnWall = opened * DAY_MS + settings.windowStartMinute * 60_000
    const opensAtMs = firstInstantMs(zone, opensOnWall)
    const closesAtMs = firstInstantMs(zone, opensOnWall + length)
    if (opensAtMs <= atMs && atMs < closesAtMs) {
      return { opensAtMs: Math.max(opensAtMs, fromMs), closesAtMs: Math.min(closesAtMs, toMs) }
    }
  }
  return null
}

/** When a delay of days ends: the opening time of that date, in the zone that counts then. */
export function openingMs(settings: SendingSettings, day: number): number {
  const wall = day * DAY_MS + settings.windowStartMinute * 60_000
  const openingMsOfOld = firstInstantMs(settings.timeZone, wall)
  const changeMs = settings.nextTimeZoneAt?.getTime() ?? Number.POSITIVE_INFINITY
  if (openingMsOfOld < changeMs) return openingMsOfOld
  return Math.max(changeMs, firstInstantMs(settings.nextTimeZone ?? settings.timeZone, wall))
}

/** The next instant after `atMs` at which a closed window may open: the next opening time of either zone, or the change between them. */
export function nextPossibleOpeningMs(settings: SendingSettings, atMs: number): number {
  const changeMs = settings.nextTimeZoneAt?.getTime() ?? Number.POSITIVE_INFINITY
  const edges = [changeMs]
  for (const zone of [settings.timeZone, settings.nextTimeZone ?? settings.timeZone]) {
    const today = Math.floor(wallMs(zone, atMs) / DAY_MS)
    for (const day of [today - 1, today, today + 1, today + 2]) {
      edges.push(firstInstantMs(zone, day * DAY_MS + settings.windowStartMinute * 60_000))
    }
  }
  return Math.min(...edges.filter((edge) => edge > atMs))
}
