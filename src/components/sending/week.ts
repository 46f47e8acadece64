/** One window for all sending days, in minutes after midnight; an end at or before the start lies on the next day. */
export interface Week {
  days: readonly number[]
  startMinute: number
  endMinute: number
}

export const DAY_MINUTES = 1_440
/** What a drag and an arrow key move by. */
export const STEP_MINUTES = 30

/** ISO weekdays, Monday first. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

export interface Band {
  from: number
  to: number
  /** The part of a night that belongs to the day before. */
  isOfDayBefore: boolean
}

/** When a weekday (1 to 7) is open, in its own minutes. */
export function bandsOf({ days, startMinute, endMinute }: Week, day: number): Band[] {
  const crosses = endMinute <= startMinute
  const dayBefore = day === 1 ? 7 : day - 1
  const bands: Band[] = []
  if (crosses && endMinute > 0 && days.includes(dayBefore)) bands.push({ from: 0, to: endMinute, isOfDayBefore: true })
  if (days.includes(day)) bands.push({ from: startMinute, to: crosses ? DAY_MINUTES : endMinute, isOfDayBefore: false })
  return bands
}

/** A place in the grid: the weekday, and the minute at which its cell begins. */
export interface Cell {
  day: number
  minute: number
}

/** The week that dragging from one cell to another draws: these days, at these hours. */
export function dragged(from: Cell, to: Cell): Week {
  const [first, last] = [Math.min(from.day, to.day), Math.max(from.day, to.day)]
  return {
    days: Array.from({ length: last - first + 1 }, (_, index) => first + index),
    startMinute: Math.min(from.minute, to.minute),
    endMinute: Math.max(from.minute, to.minute) + STEP_MINUTES,
  }
}

export function toggled(days: readonly number[], day: number): number[] {
  const without = days.filter((one) => one !== day)
  return (without.length === days.length ? [...days, day] : without).toSorted((one, other) => one - other)
}

/** "09:00"; the end of a day is 24:00. */
export function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

/** What a field for a time says; null for what is no time. */
export function minuteOf(text: string): number | null {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined) return null
  const minute = Number(hours) * 60 + Number(minutes)
  return Number(minutes) < 60 && minute <= DAY_MINUTES ? minute : null
}

/** "Monday to Friday, 09:00 to 17:00" */
export function weekInWords({ days, startMinute, endMinute }: Week): string {
  if (days.length === 0) return 'No day is chosen, so nothing is sent.'
  const hours = `${clock(startMinute)} to ${clock(endMinute)}${endMinute <= startMinute ? ' of the next day' : ''}`
  return `${daysInWords(days)}, ${hours}`
}

function daysInWords(days: readonly number[]): string {
  const runs: number[][] = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run && run.at(-1) === day - 1) run.push(day)
    else runs.push([day])
  }
  const name = (day: number | undefined) => WEEKDAYS[(day ?? 1) - 1] ?? ''
  return runs.flatMap((run) => (run.length > 2 ? [`${name(run[0])} to ${name(run.at(-1))}`] : run.map(name))).join(', ')
}
