import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'
import type { CalendarDay, SendingCalendar } from './calendar.ts'
import type { LimitOfTodayName } from './limit-names.ts'
import { emailsPerHour } from './pace.ts'
import { limitOfMailbox, type MailboxLimits, type QuotaUse } from './quota.ts'
import { calculateRampUpQuota } from './ramp-up.ts'

/** `emails`: the most that it lets go on the local date, what has gone included; null where it sets no number. */
export type LimitOfToday = { name: LimitOfTodayName; emails: number | null; sentence: string }

export type LimitsOfToday = {
  date: string
  sent: number
  /** What all of them together let go today. */
  atMost: number
  wins: LimitOfTodayName
  limits: LimitOfToday[]
  /** What the pauses alone would allow; null without pauses. */
  emailsPerHourOfMailbox: number | null
}

export type MailboxToday = {
  sent: number
  limit: number
  limitedBy: 'mailbox-limit' | 'ramp-up' | 'rolling-24h'
  /** Which of the mailbox's dates with sends today is or would be. */
  sendingDay: number
  /** The same where a ramp-up counts by it; null without. */
  rampUpDay: number | null
}

type Use = { limits: MailboxLimits; used: Omit<QuotaUse, 'workspaceToday'> }

/** What one mailbox may send today, and which of its limits says so. */
export function mailboxToday(settings: SendingCalendar['settings'], { limits, used }: Use): MailboxToday {
  const byDate = limitOfMailbox(settings, limits, used.sentDatesBefore)
  const byHours = used.mailboxToday + Math.max(0, limits.rollingLimit - used.inLast24Hours)
  const byDateName = byDate < limits.dailyLimit ? 'ramp-up' : 'mailbox-limit'
  return {
    sent: used.mailboxToday,
    limit: Math.min(byDate, byHours),
    limitedBy: byHours < byDate ? 'rolling-24h' : byDateName,
    sendingDay: used.sentDatesBefore + 1,
    rampUpDay: settings.rampUpEnabled ? used.sentDatesBefore + 1 : null,
  }
}

type Asked = { now: Date; calendar: SendingCalendar; workspaceToday: number; mailboxes: readonly Use[] }

/** Every limit of a workspace's day, one under the other, with the one that is reached first. */
export function limitsOfToday({ now, calendar, workspaceToday, mailboxes }: Asked): LimitsOfToday {
  const { settings } = calendar
  const today = calendar.day(calendar.dayAt(now.getTime()))
  const perHour = emailsPerHour(settings)
  const ofMailboxes = mailboxes.map((one) => mailboxToday(settings, one))
  const limits: LimitOfToday[] = [
    windowLimit(now, today, workspaceToday, zoneAt(settings, now)),
    spacingLimit(today, perHour, mailboxes.length),
    {
      name: 'workspace-quota',
      emails: settings.dailyQuota,
      sentence: `The workspace sends at most ${counted(settings.dailyQuota, 'email')} a day.`,
    },
    mailboxLimit(mailboxes),
    rampUpLimit(settings, mailboxes),
    rollingLimit(mailboxes),
  ]
  const numbers = limits.flatMap(({ name, emails }) => (emails === null ? [] : [{ name, emails }]))
  const [first = { name: 'mailbox-limit' as const, emails: 0 }, ...others] = numbers
  const winner = others.reduce((least, one) => (one.emails < least.emails ? one : least), first)
  const together = ofMailboxes.reduce((sum, { limit }) => sum + limit, 0)
  return {
    date: today.localDate,
    sent: workspaceToday,
    atMost: Math.min(winner.emails, together),
    wins: winner.name,
    limits,
    emailsPerHourOfMailbox: perHour,
  }
}

function zoneAt({ timeZone, nextTimeZone, nextTimeZoneAt }: SendingCalendar['settings'], now: Date): string {
  return nextTimeZone !== null && nextTimeZoneAt !== null && nextTimeZoneAt <= now ? nextTimeZone : timeZone
}

/** The shortest there is: one on which the clocks go forward. */
const ALL_DAY_MS = 23 * 3_600_000

function windowLimit(now: Date, today: CalendarDay, sent: number, timeZone: string): LimitOfToday {
  const [first] = today.open
  const last = today.open.at(-1)
  if (!first || !last) return { name: 'sending-window', emails: 0, sentence: 'The window does not open today.' }
  const time = (ms: number) => wordsOfInstant(new Date(ms), timeZone, 'HH:mm')
  if (last.closesAtMs <= now.getTime())
    return {
      name: 'sending-window',
      emails: sent,
      sentence: `The window closed at ${time(last.closesAtMs)}: nothing more goes today.`,
    }
  const isAllDay = today.open.reduce((sum, { opensAtMs, closesAtMs }) => sum + closesAtMs - opensAtMs, 0) >= ALL_DAY_MS
  if (isAllDay) return { name: 'sending-window', emails: null, sentence: 'The window is open all day.' }
  const stretches = today.open.map(({ opensAtMs, closesAtMs }) => `${time(opensAtMs)} to ${time(closesAtMs)}`)
  return { name: 'sending-window', emails: null, sentence: `The window is open from ${stretches.join(' and ')}.` }
}

function spacingLimit(today: CalendarDay, perHour: number | null, mailboxes: number): LimitOfToday {
  if (perHour === null)
    return { name: 'spacing', emails: null, sentence: 'No pause is kept between two emails of a mailbox.' }
  const openMs = today.open.reduce((sum, { opensAtMs, closesAtMs }) => sum + closesAtMs - opensAtMs, 0)
  const sentence = `The pauses let about ${counted(perHour, 'email')} an hour leave each mailbox.`
  const emails = mailboxes === 0 ? null : Math.floor((openMs / 3_600_000) * perHour) * mailboxes
  return { name: 'spacing', emails, sentence }
}

function mailboxLimit(mailboxes: readonly Use[]): LimitOfToday {
  const emails = mailboxes.reduce((sum, { limits }) => sum + limits.dailyLimit, 0)
  if (mailboxes.length === 0) return { name: 'mailbox-limit', emails, sentence: 'No mailbox is connected.' }
  return {
    name: 'mailbox-limit',
    emails,
    sentence: `${together(mailboxes.length)} at most ${emails.toLocaleString('en')} a day.`,
  }
}

function rampUpLimit(settings: SendingCalendar['settings'], mailboxes: readonly Use[]): LimitOfToday {
  if (!settings.rampUpEnabled) return { name: 'ramp-up', emails: null, sentence: 'No ramp-up is set.' }
  const days = mailboxes.map(({ used }) => used.sentDatesBefore + 1)
  const emails = days.reduce((sum, day) => sum + calculateRampUpQuota(settings, day), 0)
  const [least, most] = [Math.min(...days), Math.max(...days)]
  const reached = least === most ? `on day ${least}` : `on days ${least} to ${most}`
  return {
    name: 'ramp-up',
    emails: mailboxes.length === 0 ? null : emails,
    sentence:
      mailboxes.length === 0
        ? 'The ramp-up begins with the first mailbox.'
        : `${mailboxes.length === 1 ? 'The mailbox is' : 'The mailboxes are'} ${reached} of the ramp-up.`,
  }
}

function rollingLimit(mailboxes: readonly Use[]): LimitOfToday {
  if (mailboxes.length === 0)
    return { name: 'rolling-24h', emails: null, sentence: 'The limit over 24 hours is that of each mailbox.' }
  const emails = mailboxes.reduce(
    (sum, { limits, used }) => sum + used.mailboxToday + Math.max(0, limits.rollingLimit - used.inLast24Hours),
    0,
  )
  return {
    name: 'rolling-24h',
    emails,
    sentence: `Counted over any 24 hours, ${mailboxes.length === 1 ? 'it' : 'they'} may send ${emails.toLocaleString('en')} today.`,
  }
}

const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
const together = (mailboxes: number) =>
  mailboxes === 1 ? 'The mailbox sends' : `The ${mailboxes} mailboxes together send`
