import type { AuditAction } from '#lib/tenancy/audit/audit.ts'
import type { ScheduledEmailStatus, Transition } from './states.ts'

type VerbEntry = {
  /** On the button. */
  label: string
  /** What comes of it, for the button's description and the API's reference. */
  sentence: string
  moves: readonly Transition[]
  /** States in which it moves nothing: a failed email that is dismissed keeps its state and is marked as seen. */
  marks: readonly ScheduledEmailStatus[]
  /** What its mark is, where it has one that stays. */
  leavesDismissed?: boolean
  /** How it is asked for: a method and a path below /api/admin/outbox/:id, with these fields in the body. */
  request: { method: 'POST' | 'DELETE'; path: string; body?: Readonly<Record<string, string>> }
  /** What it needs to be told besides. */
  needs?: 'at'
  /** Whether it can be done to many at once, by the same name. */
  bulk: boolean
  audited: AuditAction
  /** What takes it back, where it has led; empty where nothing does, because the email may be under way by then. */
  undo: readonly { verb: 'restore' | 'cancel' | 'dismiss'; from: ScheduledEmailStatus }[]
}

/**
 * What a person may do with an email, by the names that the API gives and takes. States, routes, bulk, audit log,
 * buttons and labels are made from this table; a verb that is not in it does not exist.
 */
export const VERBS = {
  retry: {
    label: 'Retry',
    sentence: 'Starts an email that failed for good anew, with a fresh count of attempts.',
    moves: [['PERMANENTLY_FAILED', 'RETRY_SCHEDULED']],
    marks: [],
    request: { method: 'POST', path: '/retry' },
    bulk: true,
    audited: 'email.retried',
    undo: [],
  },
  delivered: {
    label: 'Assume delivered',
    sentence: 'Takes an email whose outcome is unknown as delivered; the steps that follow go on.',
    moves: [['OUTCOME_UNKNOWN', 'SENT']],
    marks: [],
    request: { method: 'POST', path: '/resolve', body: { as: 'delivered' } },
    bulk: true,
    audited: 'email.taken-as-delivered',
    undo: [],
  },
  send_again: {
    label: 'Send again',
    sentence: 'Sends an email whose outcome is unknown once more: it may then arrive twice.',
    moves: [['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED']],
    marks: [],
    request: { method: 'POST', path: '/resolve', body: { as: 'send_again' } },
    bulk: true,
    audited: 'email.sent-again',
    undo: [],
  },
  check: {
    label: 'Look for evidence',
    sentence: 'Asks the provider what became of an email whose outcome is unknown.',
    moves: [],
    marks: ['OUTCOME_UNKNOWN'],
    request: { method: 'POST', path: '/resolve', body: { as: 'check' } },
    bulk: false,
    audited: 'email.checked',
    undo: [],
  },
  dismiss: {
    label: 'Dismiss',
    sentence:
      'Says that an email which failed, or whose outcome is unknown, was seen, and that nothing more is wanted. It stays among the cancelled.',
    moves: [['OUTCOME_UNKNOWN', 'CANCELLED']],
    marks: ['PERMANENTLY_FAILED'],
    leavesDismissed: true,
    request: { method: 'DELETE', path: '' },
    bulk: true,
    audited: 'email.dismissed',
    // An unknown one that was dismissed had been handed over, and stays as it is.
    undo: [{ verb: 'restore', from: 'PERMANENTLY_FAILED' }],
  },
  reschedule: {
    label: 'Reschedule',
    sentence:
      'Gives an email that waits another time: that one, or the next at which the sending window is open. Limits and pauses still hold.',
    moves: [],
    marks: ['SCHEDULED', 'RETRY_SCHEDULED'],
    request: { method: 'POST', path: '/reschedule' },
    needs: 'at',
    bulk: true,
    audited: 'email.rescheduled',
    undo: [],
  },
  cancel: {
    label: 'Cancel',
    sentence: 'Cancels an email that waits, and the steps that would have followed.',
    moves: [
      ['SCHEDULED', 'CANCELLED'],
      ['RETRY_SCHEDULED', 'CANCELLED'],
    ],
    marks: [],
    request: { method: 'POST', path: '/cancel' },
    bulk: true,
    audited: 'email.cancelled',
    undo: [{ verb: 'restore', from: 'CANCELLED' }],
  },
  restore: {
    label: 'Undo',
    sentence: 'Takes a cancellation or a dismissal back, where nothing was handed over.',
    moves: [['CANCELLED', 'SCHEDULED']],
    marks: ['PERMANENTLY_FAILED'],
    leavesDismissed: false,
    request: { method: 'POST', path: '/restore' },
    bulk: true,
    audited: 'email.restored',
    undo: [
      { verb: 'cancel', from: 'SCHEDULED' },
      { verb: 'dismiss', from: 'PERMANENTLY_FAILED' },
    ],
  },
} as const satisfies Record<string, VerbEntry>

type Table = typeof VERBS

export type Verb = keyof Table
export type BulkVerb = { [V in Verb]: Table[V]['bulk'] extends true ? V : never }[Verb]
export type UndoVerb = VerbEntry['undo'][number]['verb']
/** The ways to decide about an email whose outcome is unknown. */
export type Resolution = { [V in Verb]: Table[V]['request'] extends { path: '/resolve' } ? V : never }[Verb]

export const VERB_NAMES = Object.keys(VERBS) as [Verb, ...Verb[]]
export const BULK_VERBS = VERB_NAMES.filter((verb): verb is BulkVerb => VERBS[verb].bulk)
export const RESOLUTIONS = VERB_NAMES.filter((verb): verb is Resolution => VERBS[verb].request.path === '/resolve')

export const undoOf = (verb: Verb): VerbEntry['undo'] => VERBS[verb].undo

/** The verbs that the state itself allows; a stopped campaign or a mark may still forbid one. */
export function verbsFor(status: ScheduledEmailStatus): Verb[] {
  return VERB_NAMES.filter((verb) => {
    const { moves, marks }: VerbEntry = VERBS[verb]
    return moves.some(([from]) => from === status) || marks.includes(status)
  })
}

/** Whether an email is where the verb leads, so that it has nothing left to do. */
export function hasLedThere(verb: Verb, email: { status: ScheduledEmailStatus; isDismissed: boolean }): boolean {
  const { moves, marks, leavesDismissed }: VerbEntry = VERBS[verb]
  if (moves.some(([, to]) => to === email.status)) return true
  return leavesDismissed === email.isDismissed && marks.includes(email.status)
}

/** How a program or a page asks for it. */
export function requestFor(verb: Verb, emailId: string, more: { scheduledFor?: string } = {}) {
  const { method, path, body }: VerbEntry['request'] = VERBS[verb].request
  const fields = { ...body, ...more }
  return {
    method,
    path: `/api/admin/outbox/${emailId}${path}`,
    ...(Object.keys(fields).length > 0 ? { body: fields } : {}),
  }
}
