import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'

/** The queue as the design tells it, in a page of plain code with no SQL: what the real one is compared with. */
export type ModelEmail = {
  prospect: number
  step: number
  status: ScheduledEmailStatus
  token: number
  marked: number | null
  accepted: number | null
  attempts: number
  cancelReason: string | null
  dismissed: boolean
  /** Has been waiting for a retry before it was claimed. */
  retrying: boolean
  due: boolean
  leaseExpired: boolean
  /** The attempt must be over by now. */
  longAgo: boolean
  ended: Record<number, { outcome: AttemptOutcome; evidence: AttemptOutcome | null }>
}
export type Model = { emails: ModelEmail[]; stopped: boolean; left: boolean[] }

export type Outcome = 'accepted' | 'retry' | 'rejected' | 'unknown'
export type Held = { email: number; token: number }
export type Action =
  | { do: 'claim'; worker: string }
  | ({ do: 'mark' } & Held)
  | ({ do: 'settle'; marked: boolean; outcome: Outcome } & Held)
  | ({ do: 'release'; suppressed: boolean } & Held)
  | { do: 'recover' }
  | { do: 'stop' }
  | { do: 'unsubscribe'; prospect: number }
  | { do: 'retry' | 'assume' | 'again' | 'dismiss' | 'cancel' | 'restore'; email: number }

export type Possible = { model: Model; answer: string }

const RETRIES = 3

export function newModel(prospects: number, steps: number): Model {
  const emails = Array.from({ length: prospects * steps }, (_, index): ModelEmail => {
    const step = (index % steps) + 1
    return {
      prospect: Math.floor(index / steps),
      step,
      status: 'SCHEDULED',
      token: 0,
      marked: null,
      accepted: null,
      attempts: 0,
      cancelReason: null,
      dismissed: false,
      retrying: false,
      due: step === 1,
      leaseExpired: false,
      longAgo: false,
      ended: {},
    }
  })
  return { emails, stopped: false, left: Array.from({ length: prospects }, () => false) }
}

/** A time longer than every lease, retry and margin passes. */
export function passTime(model: Model): void {
  for (const email of model.emails) {
    email.leaseExpired = true
    email.longAgo = true
    if (email.status === 'RETRY_SCHEDULED') email.due = true
  }
}

/** What planning does: the step after a sent one is given its time. */
export function giveTimes(model: Model): void {
  for (const email of model.emails) if (email.status === 'SCHEDULED' && allSentBefore(model, email)) email.due = true
}

/** Everything that may come of an action; more than one thing only where it passes over what others hold locked. */
export function possible(before: Model, action: Action, alone: boolean): Possible[] {
  switch (action.do) {
    case 'claim':
      return subsets(before, isDue, alone, claim)
    case 'recover':
      return subsets(before, (email) => email.status === 'SENDING' && email.leaseExpired, alone, recover)
    default: {
      const model = structuredClone(before)
      return [{ model, answer: act(model, action) }]
    }
  }
}

function act(model: Model, action: Exclude<Action, { do: 'claim' | 'recover' }>): string {
  switch (action.do) {
    case 'mark':
      return mark(at(model, action.email), action.token)
    case 'settle':
      return settle(model, action)
    case 'release':
      return release(model, action)
    case 'stop':
      model.stopped = true
      return cancelAll(model, () => true, 'CAMPAIGN_STOPPED')
    case 'unsubscribe':
      model.left[action.prospect] = true
      return cancelAll(model, (email) => email.prospect === action.prospect, 'PROSPECT_UNSUBSCRIBED')
    case 'retry':
      return retry(model, at(model, action.email))
    case 'assume':
      return assume(model, at(model, action.email))
    case 'again':
      return sendAgain(model, at(model, action.email))
    case 'dismiss':
      return dismiss(model, at(model, action.email))
    case 'cancel':
      return cancel(model, at(model, action.email))
    case 'restore':
      return restore(model, at(model, action.email))
  }
}

const isWaiting = ({ status }: ModelEmail) => status === 'SCHEDULED' || status === 'RETRY_SCHEDULED'
const isDue = (email: ModelEmail) => isWaiting(email) && email.due
const holds = (email: ModelEmail, token: number) => email.status === 'SENDING' && email.token === token

function claim(email: ModelEmail): string {
  email.retrying = email.status === 'RETRY_SCHEDULED'
  email.status = 'SENDING'
  email.token += 1
  email.leaseExpired = false
  return `${email.token}`
}

function mark(email: ModelEmail, token: number): string {
  if (!holds(email, token)) return 'lost-lease'
  if (email.marked === token) return 'already-marked'
  if (email.accepted !== null) return 'already-accepted'
  if (email.leaseExpired) return 'lease-too-short'
  email.marked = token
  email.longAgo = false
  return 'marked'
}

const ATTEMPT: Record<Outcome, AttemptOutcome> = {
  accepted: 'ACCEPTED',
  retry: 'RETRY',
  rejected: 'REJECTED',
  unknown: 'UNKNOWN',
}

function settle(model: Model, { email: index, token, marked, outcome }: Extract<Action, { do: 'settle' }>): string {
  const email = at(model, index)
  if (!holds(email, token) || (email.marked === token) !== marked) return settleLate(model, email, token, outcome)
  email.attempts += 1
  email.ended[token] = { outcome: ATTEMPT[outcome], evidence: null }
  const unwanted = whyUnwanted(model, email)
  if (outcome === 'accepted') {
    becomeSent(model, email)
    email.accepted ??= token
  } else if (outcome === 'unknown') {
    email.status = 'OUTCOME_UNKNOWN'
  } else if (email.accepted !== null) {
    email.status = 'RETRY_SCHEDULED'
  } else if (unwanted) {
    becomeCancelled(email, unwanted)
    cancelSuccessors(model, email, 'PREDECESSOR_CANCELLED')
  } else if (outcome === 'retry' && email.attempts <= RETRIES) {
    email.status = 'RETRY_SCHEDULED'
    email.due = false
  } else {
    email.status = 'PERMANENTLY_FAILED'
    cancelSuccessors(model, email, 'PREDECESSOR_FAILED')
  }
  sendAccepted(model, email)
  return `settled ${email.status}`
}

function settleLate(model: Model, email: ModelEmail, token: number, outcome: Outcome): string {
  const ended = email.ended[token]
  if (!ended) return 'lost-lease'
  if (ended.outcome !== 'UNKNOWN' || ended.evidence !== null || outcome === 'unknown')
    return `already-settled ${email.status}`
  ended.evidence = ATTEMPT[outcome]
  if (outcome === 'accepted') {
    email.accepted ??= token
    sendAccepted(model, email)
  } else if (email.status === 'OUTCOME_UNKNOWN' && email.token === token) {
    const unwanted = whyUnwanted(model, email)
    if (unwanted) {
      becomeCancelled(email, unwanted)
      cancelSuccessors(model, email, 'PREDECESSOR_CANCELLED')
    } else {
      email.status = 'RETRY_SCHEDULED'
      email.due = false
    }
  }
  return `late ${email.status}`
}

function release(model: Model, { email: index, token, suppressed }: Extract<Action, { do: 'release' }>): string {
  const email = at(model, index)
  if (!holds(email, token) || email.marked === token) return 'lost-lease'
  email.ended[token] = { outcome: 'RELEASED', evidence: null }
  goBack(model, email, whyUnwanted(model, email) ?? (suppressed ? 'SUPPRESSED' : undefined))
  return `released ${email.status}`
}

function recover(email: ModelEmail, model: Model): string {
  const token = email.token
  if (email.marked === token) {
    email.ended[token] = { outcome: 'UNKNOWN', evidence: null }
    email.attempts += 1
    email.status = 'OUTCOME_UNKNOWN'
    sendAccepted(model, email)
  } else {
    email.ended[token] = { outcome: 'RELEASED', evidence: null }
    goBack(model, email, whyUnwanted(model, email))
  }
  return email.status
}

function goBack(model: Model, email: ModelEmail, reason: CancelReason | undefined): void {
  if (reason) becomeCancelled(email, reason)
  else email.status = email.retrying ? 'RETRY_SCHEDULED' : 'SCHEDULED'
  sendAccepted(model, email)
  if (email.status === 'CANCELLED') cancelSuccessors(model, email, 'PREDECESSOR_CANCELLED')
}

function retry(model: Model, email: ModelEmail): string {
  if (email.status !== 'PERMANENTLY_FAILED') return 'not-possible'
  const refusal = ownersRefuse(model, email)
  if (refusal) return refusal
  Object.assign(email, { status: 'RETRY_SCHEDULED', attempts: 0, due: true, dismissed: false })
  reviveSuccessors(model, email, 'PREDECESSOR_FAILED')
  sendAccepted(model, email)
  return `done ${email.status}`
}

function assume(model: Model, email: ModelEmail): string {
  if (email.status !== 'OUTCOME_UNKNOWN') return 'not-possible'
  becomeSent(model, email)
  return 'done SENT'
}

function sendAgain(model: Model, email: ModelEmail): string {
  if (email.status !== 'OUTCOME_UNKNOWN') return 'not-possible'
  const refusal = ownersRefuse(model, email)
  if (refusal) return refusal
  if (!email.longAgo) return 'too-early'
  email.status = 'RETRY_SCHEDULED'
  email.due = true
  return 'done RETRY_SCHEDULED'
}

function dismiss(model: Model, email: ModelEmail): string {
  if (email.status === 'PERMANENTLY_FAILED' && !email.dismissed) {
    email.dismissed = true
    return 'done PERMANENTLY_FAILED'
  }
  if (email.status !== 'OUTCOME_UNKNOWN') return 'not-possible'
  becomeCancelled(email, 'DISMISSED')
  cancelSuccessors(model, email, 'PREDECESSOR_CANCELLED')
  return 'done CANCELLED'
}

function cancel(model: Model, email: ModelEmail): string {
  if (!isWaiting(email)) return 'not-possible'
  becomeCancelled(email, 'BY_PERSON')
  cancelSuccessors(model, email, 'PREDECESSOR_CANCELLED')
  return 'done CANCELLED'
}

function restore(model: Model, email: ModelEmail): string {
  if (email.status === 'PERMANENTLY_FAILED' && email.dismissed) {
    email.dismissed = false
    return 'done PERMANENTLY_FAILED'
  }
  if (email.status !== 'CANCELLED') return 'not-possible'
  if (email.marked !== null) return 'was-handed-over'
  const refusal = ownersRefuse(model, email)
  if (refusal) return refusal
  if (before(model, email).some(({ status }) => status === 'CANCELLED' || status === 'PERMANENTLY_FAILED'))
    return 'predecessor-not-coming'
  Object.assign(email, {
    status: 'SCHEDULED',
    cancelReason: null,
    attempts: 0,
    due: allSentBefore(model, email),
  })
  reviveSuccessors(model, email, 'PREDECESSOR_CANCELLED')
  return 'done SCHEDULED'
}

function cancelAll(model: Model, theirs: (email: ModelEmail) => boolean, reason: CancelReason): string {
  const cancelled = model.emails.filter((email) => isWaiting(email) && theirs(email))
  for (const email of cancelled) becomeCancelled(email, reason)
  return `${cancelled.length}`
}

function becomeCancelled(email: ModelEmail, reason: CancelReason): void {
  Object.assign(email, { status: 'CANCELLED', cancelReason: reason, due: false })
}

function sendAccepted(model: Model, email: ModelEmail): void {
  if (email.accepted === null) return
  if (!['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED', 'PERMANENTLY_FAILED', 'CANCELLED'].includes(email.status)) return
  becomeSent(model, email)
}

function becomeSent(model: Model, email: ModelEmail): void {
  Object.assign(email, { status: 'SENT', cancelReason: null, dismissed: false })
  const next = after(model, email).find(({ status }) => status === 'SCHEDULED')
  if (next) next.due = true
}

function cancelSuccessors(model: Model, email: ModelEmail, reason: CancelReason): void {
  for (const later of after(model, email)) if (isWaiting(later)) becomeCancelled(later, reason)
}

function reviveSuccessors(model: Model, email: ModelEmail, reason: CancelReason): void {
  const revived = after(model, email).filter(
    (later) =>
      later.status === 'CANCELLED' &&
      later.cancelReason === reason &&
      later.marked === null &&
      !before(model, later).some(
        ({ status, cancelReason }) =>
          status === 'PERMANENTLY_FAILED' || (status === 'CANCELLED' && cancelReason !== reason),
      ),
  )
  for (const later of revived) Object.assign(later, { status: 'SCHEDULED', cancelReason: null, due: false })
}

function whyUnwanted(model: Model, email: ModelEmail): CancelReason | undefined {
  if (model.stopped) return 'CAMPAIGN_STOPPED'
  return model.left[email.prospect] ? 'PROSPECT_UNSUBSCRIBED' : undefined
}

function ownersRefuse(model: Model, email: ModelEmail): string | undefined {
  if (model.stopped) return 'campaign-stopped'
  return model.left[email.prospect] ? 'prospect-left' : undefined
}

const after = (model: Model, { prospect, step }: ModelEmail) =>
  model.emails.filter((other) => other.prospect === prospect && other.step > step)
const before = (model: Model, { prospect, step }: ModelEmail) =>
  model.emails.filter((other) => other.prospect === prospect && other.step < step)
const allSentBefore = (model: Model, email: ModelEmail) => before(model, email).every(({ status }) => status === 'SENT')

function at(model: Model, index: number): ModelEmail {
  const email = model.emails[index]
  if (!email) throw new Error(`the model has no email ${index}`)
  return email
}

/** Alone, an action takes everything that qualifies; among others, any part of it. */
function subsets(
  model: Model,
  qualifies: (email: ModelEmail) => boolean,
  alone: boolean,
  take: (email: ModelEmail, model: Model) => string,
): Possible[] {
  const candidates = model.emails.flatMap((email, index) => (qualifies(email) ? [index] : []))
  const choices = alone ? [candidates] : allSubsets(candidates)
  return choices.map((taken) => {
    const next = structuredClone(model)
    const answers = taken.map((index) => `${index}:${take(at(next, index), next)}`)
    return { model: next, answer: answers.join(' ') }
  })
}

function allSubsets(items: readonly number[]): number[][] {
  const [first, ...rest] = items
  if (first === undefined) return [[]]
  const without = allSubsets(rest)
  return [...without, ...without.map((subset) => [first, ...subset])]
}
