import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'

export type DateTimeStyle = 'date-time' | 'date' | 'time'

const SHORT = { 'date-time': 'd MMM yyyy, HH:mm', date: 'd MMM yyyy', time: 'HH:mm' } as const

/** An instant as the clock of an IANA zone shows it. A zone that is not known is shown in UTC, and says so. */
export function formatInstant(instant: Date, timeZone: string, style: DateTimeStyle): string {
  if (!isKnownZone(timeZone)) return `${wordsOfInstant(instant, 'UTC', SHORT[style])} UTC`
  return wordsOfInstant(instant, timeZone, SHORT[style])
}

/** The whole truth about an instant, for a title: weekday, seconds, zone and offset. */
export function formatInstantInFull(instant: Date, timeZone: string): string {
  const zone = isKnownZone(timeZone) ? timeZone : 'UTC'
  return `${wordsOfInstant(instant, zone, 'EEEE d MMMM yyyy, HH:mm:ss')} ${zone} (${wordsOfInstant(instant, zone, 'OOO')})`
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const [SECOND, MINUTE, HOUR, DAY, MONTH, YEAR] = [1, 60, 3_600, 86_400, 30 * 86_400, 365 * 86_400]

/** "in 5 minutes", "2 days ago"; strict, since "about" is no help to someone who waits for an email to go. */
export function formatRelative(instant: Date, now: Date): string {
  const seconds = (instant.getTime() - now.getTime()) / 1_000
  const far = Math.abs(seconds)
  if (far < 5) return 'just now'
  const inUnit = (unit: Intl.RelativeTimeFormatUnit, size: number) =>
    RELATIVE.format(Math.sign(seconds) * Math.round(far / size), unit)
  if (far < MINUTE) return inUnit('second', SECOND)
  if (far < HOUR) return inUnit('minute', MINUTE)
  if (far < DAY) return inUnit('hour', HOUR)
  if (far < MONTH) return inUnit('day', DAY)
  return far < YEAR ? inUnit('month', MONTH) : inUnit('year', YEAR)
}

/** The empty text is refused on purpose: it is no name of a zone, though some take it for that of the host. */
function isKnownZone(timeZone: string): boolean {
  if (timeZone === '') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
