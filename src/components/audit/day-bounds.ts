import { Temporal } from 'temporal-polyfill'

/** The first instant of a local day, "2026-11-18"; undefined for what is no date, as a person may type it into the address. */
export function startOfDay(date: string, timeZone: string): string | undefined {
  const day = parseDay(date)
  return day?.toZonedDateTime(timeZone).toInstant().toString()
}

/** The first instant after it. */
export function endOfDay(date: string, timeZone: string): string | undefined {
  const day = parseDay(date)
  return day?.add({ days: 1 }).toZonedDateTime(timeZone).toInstant().toString()
}

function parseDay(date: string): Temporal.PlainDate | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined
  try {
    return Temporal.PlainDate.from(date, { overflow: 'reject' })
  } catch {
    return undefined
  }
}
