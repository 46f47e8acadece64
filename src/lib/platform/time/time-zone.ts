import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'

/** Named zones only. An offset such as "+02:00" is a zone to the runtime too, but knows no summer time. */
export function isKnownTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Temporal.ZonedDateTime(0n, name)
    return true
  } catch {
    return false
  }
}

export const timeZoneSchema = z.string().refine(isKnownTimeZone, {
  error: (issue) => `"${issue.input}" is not a time zone we know; choose one like Europe/Berlin or America/New_York.`,
})
