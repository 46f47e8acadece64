import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'

/** Named zones only: an offset like +01:00 knows nothing of summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const timeZoneSchema = z
  .string()
  .refine(isTimeZone, 'This is not a time zone; choose one like Europe/Berlin or America/New_York.')

/** When a change of zone takes effect: no local date may be lived through twice. */
export function nextLocalMidnight(now: Date, timeZone: string): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  const midnight = today.add({ days: 1 }).toZonedDateTime(timeZone)
  return new Date(midnight.epochMilliseconds)
}
