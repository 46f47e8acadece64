/**
 * Local dates are `YYYY-MM-DD` where people and tables see them, and day numbers (days since 1970-01-01, no zone)
 * where the planner counts with them.
 */
export type DayNumber = number

const DAY_MS = 86_400_000

export function dayOf(localDate: string): DayNumber {
  return Date.parse(`${localDate}T00:00:00Z`) / DAY_MS
}

export function localDateOf(day: DayNumber): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** Monday = 1 … Sunday = 7. Day 0 was a Thursday. */
export function isoWeekday(day: DayNumber): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

export function isLocalDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isInteger(dayOf(text)) && localDateOf(dayOf(text)) === text
}

/** For what is remembered by day: forgets the days before. */
export function deleteBefore(byDay: Map<DayNumber, unknown>, day: DayNumber): void {
  for (const known of byDay.keys()) {
    if (known < day) byDay.delete(known)
  }
}
