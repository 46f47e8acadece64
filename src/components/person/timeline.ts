import { hrefOfEmail } from '../queue/queue-filter.ts'
import type { StatusIcon, Tone } from '../status-look.ts'
import { EMAIL_STATUS_LOOK, ENROLMENT_STATE_LOOK } from '../status-look.ts'
import type { History, Person, PersonAnswer } from './use-person.ts'

/** One line of what happened with a person, or is going to. */
export interface TimelineEntry {
  key: string
  at: string
  tone: Tone
  icon: StatusIcon
  title: string
  sentence: string | null
  href: string | null
}

const WAITS = new Set(['SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'])

/** What is to come, the next first; and what was, the last first. */
export function timelineOf(
  person: Person,
  history: History,
  formerAddresses: PersonAnswer['formerAddresses'],
): { toCome: TimelineEntry[]; past: TimelineEntry[] } {
  const emails = history.emails.map((email) => ({
    isToCome: WAITS.has(email.status),
    entry: entryOfEmail(email, person.id),
  }))
  const past = [
    ...emails.filter(({ isToCome }) => !isToCome).map(({ entry }) => entry),
    ...history.enrolments.map(entryOfEnrolment),
    ...history.events.map(entryOfEvent),
    ...formerAddresses.map(({ email, leftAt }) =>
      event('address', leftAt, `Had the address ${email} until then.`, 'archived'),
    ),
    ...eventsOf(person),
  ]
  return {
    toCome: emails
      .filter(({ isToCome }) => isToCome)
      .map(({ entry }) => entry)
      .toSorted(byTime),
    past: past.toSorted((a, b) => byTime(b, a)),
  }
}

const byTime = (a: TimelineEntry, b: TimelineEntry) => Date.parse(a.at) - Date.parse(b.at)

function entryOfEmail(
  { id, status, at, subject, stepNumber, campaign, sentence, lastError }: History['emails'][number],
  personId: string,
): TimelineEntry {
  const { tone, icon, word } = EMAIL_STATUS_LOOK[status]
  const what = subject ? `“${subject}”` : stepNumber ? `Step ${stepNumber}` : 'An email'
  return {
    ...{ key: id, at, tone, icon, href: hrefOfEmail({ id, status }, { person: personId }) },
    title: `${word}: ${what}${campaign ? `, ${campaign.name}` : ''}`,
    sentence: lastError && status !== 'SENT' ? `${sentence} ${lastError}` : sentence,
  }
}

function entryOfEnrolment({ id, campaign, state, reason, createdAt }: History['enrolments'][number]): TimelineEntry {
  const { tone, icon, word } = ENROLMENT_STATE_LOOK[state]
  return {
    ...{ key: id, at: createdAt, tone, icon, href: `/campaigns/${campaign.id}?tab=people&state=${state}` },
    title: `Joined the campaign ${campaign.name}`,
    sentence: reason ?? `${word}.`,
  }
}

type HistoryEvent = History['events'][number]

function entryOfEvent({ id, type, name, stepNumber, occurredAt, data }: HistoryEvent): TimelineEntry {
  const which = stepNumber ? `step ${stepNumber}` : 'an email'
  const [title, tone]: [string, Tone] =
    type === 'CUSTOM'
      ? [`Your program told: ${name}`, 'neutral']
      : [type === 'CLICKED' ? `Followed a link of ${which}` : `Opened ${which}`, 'info']
  return { ...event(`event ${id}`, occurredAt, title, 'done'), tone, sentence: wordsOf(data) }
}

/** What came with it, as far as it fits on a line or two. */
function wordsOf(data: HistoryEvent['data']): string | null {
  const words = Object.entries(data).map(([name, value]) => (name === 'url' ? String(value) : `${name}: ${value}`))
  return words.length === 0 ? null : words.join(' · ').slice(0, 300)
}

function eventsOf(person: Person): TimelineEntry[] {
  const happened: [string | null, string, StatusIcon, Tone][] = [
    [person.repliedAt, 'Replied. Nothing more is sent.', 'done', 'info'],
    [person.bouncedAt, 'The address bounced. Nothing more is sent to it.', 'failed', 'danger'],
    [person.unsubscribedAt, 'Unsubscribed. Only the person themselves subscribes again.', 'stopped', 'neutral'],
    [person.pausedAt, 'Paused by a person. Nothing is cancelled, and nothing goes out.', 'paused', 'warning'],
    [person.archivedAt, 'Archived. What waited was cancelled.', 'archived', 'neutral'],
    [person.erasedAt, 'Erased. That emails were sent stays known, and nothing personal.', 'cancelled', 'neutral'],
    [person.createdAt, 'Added.', 'draft', 'neutral'],
  ]
  return happened.flatMap(([at, title, icon, tone]) => (at ? [{ ...event(title, at, title, icon), tone }] : []))
}

function event(key: string, at: string, title: string, icon: StatusIcon): TimelineEntry {
  return { key: `${key}:${at}`, at, tone: 'neutral', icon, title, sentence: null, href: null }
}
