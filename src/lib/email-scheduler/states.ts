import type { ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'

export type { ScheduledEmailStatus }

/** Who may take an arrow: the worker that holds the lease (or recovery in its place), evidence from a provider, a person, or a stop (campaign stopped, prospect left, predecessor not coming). */
export type Mover = 'worker' | 'evidence' | 'person' | 'stop'

type Arrow = { readonly by: readonly Mover[]; readonly sentence: string }

/**
 * The life of an email. The trigger in the database, the verbs of this folder and the admin page are checked against
 * this table; what is not in it cannot happen.
 */
export const TRANSITIONS = {
  SCHEDULED: {
    SENDING: { by: ['worker'], sentence: 'It was due, and a worker claimed it.' },
    CANCELLED: { by: ['person', 'stop'], sentence: 'It is no longer wanted.' },
  },
  SENDING: {
    SENT: { by: ['worker'], sentence: 'The provider accepted it.' },
    FAILED: { by: ['worker'], sentence: 'The attempt definitely failed; the verdict follows at once.' },
    OUTCOME_UNKNOWN: { by: ['worker'], sentence: 'It was handed over, and no answer came.' },
    SCHEDULED: { by: ['worker'], sentence: 'It was released unsent, before its first attempt.' },
    RETRY_SCHEDULED: { by: ['worker'], sentence: 'It was released unsent, and goes on waiting for its retry.' },
    CANCELLED: { by: ['worker'], sentence: 'A guard refused it for good before it was handed over.' },
  },
  SENT: {},
  FAILED: {
    RETRY_SCHEDULED: { by: ['worker'], sentence: 'A later attempt may succeed.' },
    PERMANENTLY_FAILED: { by: ['worker'], sentence: 'Its retries are used up, or no retry would help.' },
    CANCELLED: { by: ['worker'], sentence: 'It is no longer wanted, so it is not tried again.' },
  },
  RETRY_SCHEDULED: {
    SENDING: { by: ['worker'], sentence: 'Its retry was due, and a worker claimed it.' },
    SENT: { by: ['evidence'], sentence: 'Late evidence shows that an earlier attempt was accepted.' },
    CANCELLED: { by: ['person', 'stop'], sentence: 'It is no longer wanted.' },
  },
  OUTCOME_UNKNOWN: {
    SENT: {
      by: ['evidence', 'person'],
      sentence: 'Evidence shows that it was accepted, or a person took it as delivered.',
    },
    RETRY_SCHEDULED: {
      by: ['evidence', 'person'],
      sentence: 'It is proven that it was not sent and no longer can be, or a person chose to send it again.',
    },
    CANCELLED: {
      by: ['evidence', 'person'],
      sentence: 'A person dismissed it, or it is proven unsent and no longer wanted.',
    },
  },
  PERMANENTLY_FAILED: {
    RETRY_SCHEDULED: { by: ['person'], sentence: 'A person asked for a retry, with a fresh count of attempts.' },
    SENT: { by: ['evidence'], sentence: 'Late evidence shows that an earlier attempt was accepted after all.' },
  },
  CANCELLED: {
    SCHEDULED: { by: ['person'], sentence: 'A person took the cancellation back; it was never handed over.' },
    SENT: { by: ['evidence'], sentence: 'Late evidence shows that an attempt was accepted before it was cancelled.' },
  },
} as const satisfies Record<ScheduledEmailStatus, Partial<Record<ScheduledEmailStatus, Arrow>>>

type Table = typeof TRANSITIONS

/** Every arrow there is, as [from, to]: naming one that is not in the table does not compile. */
export type Transition = {
  [From in keyof Table]: { [To in keyof Table[From]]: readonly [From, To] }[keyof Table[From]]
}[keyof Table]

/** What a state is called, and what it means, in words for people. */
export const STATES: Record<ScheduledEmailStatus, { readonly name: string; readonly sentence: string }> = {
  SCHEDULED: { name: 'Scheduled', sentence: 'Waits for its time, or for room at its mailbox.' },
  SENDING: { name: 'Sending', sentence: 'A worker holds it and is about to hand it over, or just has.' },
  SENT: { name: 'Sent', sentence: 'The provider accepted it.' },
  FAILED: { name: 'Failed', sentence: 'The last attempt failed; what follows is being decided.' },
  RETRY_SCHEDULED: { name: 'Waiting to retry', sentence: 'An attempt failed; it is tried again at the time shown.' },
  OUTCOME_UNKNOWN: {
    name: 'Outcome unknown',
    sentence:
      'It may already have been delivered: it was handed over, and no answer came. It is never retried on a guess.',
  },
  PERMANENTLY_FAILED: {
    name: 'Failed for good',
    sentence: 'It was not sent, and nothing happens until a person decides.',
  },
  CANCELLED: { name: 'Cancelled', sentence: 'It will not be sent; the reason is kept.' },
}

export const STATUSES = Object.keys(STATES) as ScheduledEmailStatus[]

/** May be claimed or cancelled; nobody holds it. */
export const WAITING = ['SCHEDULED', 'RETRY_SCHEDULED'] as const satisfies readonly ScheduledEmailStatus[]

/** Late evidence of an acceptance takes it from any of these to SENT. */
export const SENT_BY_EVIDENCE = [
  'OUTCOME_UNKNOWN',
  'RETRY_SCHEDULED',
  'PERMANENTLY_FAILED',
  'CANCELLED',
] as const satisfies readonly Extract<Transition, readonly [ScheduledEmailStatus, 'SENT']>[0][]

export function arrow(from: ScheduledEmailStatus, to: ScheduledEmailStatus): Arrow | undefined {
  const arrows: Partial<Record<ScheduledEmailStatus, Arrow>> = TRANSITIONS[from]
  return arrows[to]
}

export function mayBecome(from: ScheduledEmailStatus, to: ScheduledEmailStatus): boolean {
  return arrow(from, to) !== undefined
}

/** Nothing ever leaves it. */
export function isFinal(status: ScheduledEmailStatus): boolean {
  return Object.keys(TRANSITIONS[status]).length === 0
}

export function isWaiting(status: ScheduledEmailStatus): boolean {
  return WAITING.some((waiting) => waiting === status)
}
