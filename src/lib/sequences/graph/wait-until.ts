import { Temporal } from 'temporal-polyfill'
import { firstInstantAtMs } from '#lib/platform/time/wall-clock.ts'
import type { WaitFor } from './node-types.ts'

/** A day of a sequence's waits: 24 hours, whatever the clocks do. */
export const DAY_MS = 24 * 60 * 60 * 1000

/** When a wait is over that a person has come to at `from`. */
export function waitUntil(wait: WaitFor, from: Date, timeZone: string): Date {
  switch (wait.kind) {
    case 'days':
      return new Date(from.getTime() + wait.days * DAY_MS)
    case 'until':
      return new Date(Math.max(from.getTime(), Date.parse(wait.at)))
    case 'time-of-day':
      return nextAt(wait.time, from, timeZone)
  }
}

/** Over when the clock says so, and not after a stretch of time: a pause makes it no later. */
export const isByTheClock = ({ kind }: WaitFor): boolean => kind !== 'days'

/** The first instant after `from` at which the clock of that zone shows the time; in a gap of the clocks, its end. */
function nextAt(time: string, from: Date, timeZone: string): Date {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const today = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  const day = Date.UTC(today.year, today.month - 1, today.day) / DAY_MS
  for (let next = day; ; next += 1) {
    const atMs = firstInstantAtMs(timeZone, next, hour * 60 + minute)
    if (atMs > from.getTime()) return new Date(atMs)
  }
}
