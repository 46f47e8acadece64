import { formatDistanceStrict } from 'date-fns'
import { formatInTimeZone } from 'date-fns-tz'

export type DateTimeStyle = 'date-time' | 'date' | 'time'

const SHORT: Record<DateTimeStyle, string> = {
  'date-time': 'd MMM yyyy, HH:mm',
  date: 'd MMM yyyy',
  time: 'HH:mm',
}

/** An instant as the clock of an IANA zone shows it. A zone that is not known is shown in UTC, and says so. */
export function formatInstant(instant: Date, timeZone: string, style: DateTimeStyle): string {
  if (!isKnownZone(timeZone)) return `${formatInTimeZone(instant, 'UTC', SHORT[style])} UTC`
  return formatInTimeZone(instant, timeZone, SHORT[style])
}

/** The whole truth about an instant, for a title: weekday, seconds, zone and offset. */
export function formatInstantInFull(instant: Date, timeZone: string): string {
  const zone = isKnownZone(timeZone) ? timeZone : 'UTC'
  return `${formatInTimeZone(instant, zone, 'EEEE d MMMM yyyy, HH:mm:ss')} ${zone} (${formatInTimeZone(instant, zone, 'OOO')})`
}

/** "in 5 minutes", "2 days ago"; strict, since "about" is no help to someone who waits for an email to go. */
export function formatRelative(instant: Date, now: Date): string {
  if (Math.abs(instant.getTime() - now.getTime()) < 5_000) return 'just now'
  return formatDistanceStrict(instant, now, { addSuffix: true })
}

/** The empty text is refused on purpose: date-fns-tz would take it for the zone of the host. */
function isKnownZone(timeZone: string): boolean {
  if (timeZone === '') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
