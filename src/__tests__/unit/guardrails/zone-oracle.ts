import { Temporal } from 'temporal-polyfill'

/**
 * A second opinion on local time, from offsets and arithmetic alone: no disambiguation, no calendar of the product.
 * zone-oracle.test.ts holds it against Intl.
 */
interface Period {
  fromMs: number
  toMs: number
  offsetMs: number
}

export interface Transition {
  zone: string
  atMs: number
  offsetBeforeMs: number
  offsetAfterMs: number
}

export const DAY_MS = 86_400_000
const FIRST_MS = Date.UTC(2023, 0, 1)
const END_MS = Date.UTC(2042, 0, 1)

export const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone')

const periodsByZone = new Map<string, Period[]>()

function periodsOf(zone: string): Period[] {
  let periods = periodsByZone.get(zone)
  if (periods === undefined) {
    periods = []
    let from = Temporal.Instant.fromEpochMilliseconds(FIRST_MS).toZonedDateTimeISO(zone)
    for (;;) {
      const next = from.getTimeZoneTransition('next')
      const toMs = Math.min(next?.epochMilliseconds ?? END_MS, END_MS)
      periods.push({ fromMs: from.epochMilliseconds, toMs, offsetMs: from.offsetNanoseconds / 1e6 })
      if (next === null || toMs === END_MS) break
      from = next
    }
    periodsByZone.set(zone, periods)
  }
  return periods
}

/** Every change of any zone's clock from 2024 to 2028. */
export function allTransitions(): Transition[] {
  const transitions: Transition[] = []
  for (const zone of ZONES) {
    for (const [index, period] of periodsOf(zone).entries()) {
      const before = periodsOf(zone)[index - 1]
      if (before === undefined || period.fromMs < Date.UTC(2024, 0, 1) || period.fromMs >= Date.UTC(2029, 0, 1))
        continue
      transitions.push({ zone, atMs: period.fromMs, offsetBeforeMs: before.offsetMs, offsetAfterMs: period.offsetMs })
    }
  }
  return transitions
}

/** What the clock on the wall shows, as if it were UTC. */
export function wallMs(zone: string, atMs: number): number {
  const period = periodsOf(zone).find((one) => atMs < one.toMs)
  if (period === undefined) throw new Error(`The oracle does not reach ${new Date(atMs).toISOString()}.`)
  return atMs + period.offsetMs
}

/** The first instant at which the clock on the wall shows that or later. */
export function firstInstantMs(zone: string, wall: number): number {
  const period = periodsOf(zone).find((one) => wall < one.toMs + one.offsetMs)
  if (period === undefined) throw new Error(`The oracle does not reach ${new Date(wall).toISOString()}.`)
  return Math.max(period.fromMs, wall - period.offsetMs)
}

/** The latest date whose midnight, or what comes in its place, has passed. */
export function localDay(zone: string, atMs: number): number {
  let day = Math.floor(wallMs(zone, atMs) / DAY_MS)
  while (firstInstantMs(zone, (day + 1) * DAY_MS) <= atMs) day++
  return day
}
