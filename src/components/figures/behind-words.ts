import type { Behind } from './use-rows-behind.ts'

type Words = {
  title: string
  one: string
  many: string
  /** What one might wonder about its rows. */
  note?: string
}

const EMAILS = { one: 'email', many: 'emails' }
const PEOPLE = { one: 'person', many: 'people' }
const NOT_PLANNED_NOTE = 'A person whose next email is not planned yet counts as one.'

/** What a figure counts, and one and many of it. */
export const BEHIND_WORDS: Record<Behind['what'], Words> = {
  sent: { title: 'Sent', ...EMAILS },
  planned: { title: 'Planned', ...EMAILS },
  failed: { title: 'Failed for good', ...EMAILS },
  bounced: { title: 'Bounced', ...PEOPLE },
  replied: { title: 'Replied', ...PEOPLE },
  unsubscribed: { title: 'Unsubscribed', ...PEOPLE },
  'open-failed': { title: 'Failed for good', ...EMAILS },
  'open-unknown': { title: 'Outcome unknown', ...EMAILS },
  blocked: { title: 'Blocked for a missing field', ...PEOPLE },
  'sent-of-campaign': { title: 'Sent by this campaign', ...EMAILS },
  'mailbox-used': {
    ...{ title: 'Sent from this mailbox', ...EMAILS },
    note: 'What may have been sent counts as well: emails on their way, and those with an unknown outcome. One that is sent again counts each time, and stands here at most once.',
  },
  'mailbox-due': { title: 'Due from this mailbox', ...EMAILS },
  accepted: { title: 'Accepted by a provider', ...EMAILS },
  'accepted-again': { title: 'Accepted again', ...EMAILS },
  'were-unknown': { title: 'Outcome unknown at some time', ...EMAILS },
  'maybe-sent': { title: 'May have been sent', ...EMAILS, note: NOT_PLANNED_NOTE },
  'maybe-sent-of-group': { title: 'May have been sent', ...EMAILS },
}

/** Figures of what waits are counted up to a limit, and say so there. */
export function figure(count: number, countedMax = Number.POSITIVE_INFINITY): string {
  return `${count.toLocaleString('en')}${count >= countedMax ? ' or more' : ''}`
}

export function figureOf(count: number, { one, many }: { one: string; many: string }): string {
  return `${figure(count)} ${count === 1 ? one : many}`
}
