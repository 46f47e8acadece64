/** A month as "2026-12". */
export type Month = string

const DAY_MS = 86_400_000

/** The dates that a calendar page shows, week by week from Monday; null where a day belongs to another month. */
export function weeksOf(month: Month): (string | null)[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`)
  const lead = (new Date(first).getUTCDay() + 6) % 7
  const days = daysIn(month)
  const cells = [...Array<null>(lead).fill(null), ...days]
  while (cells.length % 7 !== 0) cells.push(null)
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

function daysIn(month: Month): string[] {
  const days: string[] = []
  for (let ms = Date.parse(`${month}-01T00:00:00Z`); ; ms += DAY_MS) {
    const date = new Date(ms).toISOString().slice(0, 10)
    if (!date.startsWith(month)) return days
    days.push(date)
  }
}

export function monthAfter(month: Month, months: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7)
}

export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

const named = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })
const MONTH = named({ month: 'long', year: 'numeric' })
const DATE = named({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const LONG_DATE = named({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

export const monthInWords = (month: Month) => MONTH.format(new Date(`${month}-01T00:00:00Z`))
export const dateInWords = (date: string) => DATE.format(new Date(`${date}T00:00:00Z`)).replaceAll(',', '')
export const dateInFull = (date: string) => LONG_DATE.format(new Date(`${date}T00:00:00Z`)).replaceAll(',', '')
