import { Temporal } from 'temporal-polyfill'
import { type DayNumber, localDateOf } from './local-date.ts'

export const MINUTES_PER_DAY = 1440

/**
 * The first instant at which the local clock shows that minute of that date, or a later one.
 *
 * In a repeated hour that is the first pass. In a gap it is the gap's end: not the time moved forward by the gap's
 * length that 'compatible' would give (02:30 → 03:30), for a window that opens in a gap must not open late.
 */
export function firstInstantAtMs(timeZone: string, day: DayNumber, minuteOfDay: number): number {
  const date = day + Math.floor(minuteOfDay / MINUTES_PER_DAY)
  const minute = minuteOfDay % MINUTES_PER_DAY
  const wallClock = Temporal.PlainDate.from(localDateOf(date)).toPlainDateTime({
    hour: Math.floor(minute / 60),
    minute: minute % 60,
  })
  const resolved = wallClock.toZonedDateTime(timeZone, { disambiguation: 'compatible' })
  if (resolved.minute === wallClock.minute && resolved.hour === wallClock.hour && resolved.day === wallClock.day) {
    return resolved.epochMilliseconds
  }
  const beforeGap = wallClock.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  return (beforeGap.getTimeZoneTransition('next') ?? resolved).epochMilliseconds
}

/** When a change to this zone takes effect: its next local midnight after `from`. */
export function nextLocalMidnight(timeZone: string, from: Date): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  const day = Date.UTC(today.year, today.month - 1, today.day) / 86_400_000
  // Where midnight comes twice in one night, the first may have passed already: then the next date's counts.
  for (let next = day + 1; ; next++) {
    const midnightMs = firstInstantAtMs(timeZone, next, 0)
    if (midnightMs > from.getTime()) return new Date(midnightMs)
  }
}
