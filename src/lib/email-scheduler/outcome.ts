import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'

/** What a failure is about: the recipient or message alone, or everything that leaves the mailbox or goes to the domain. */
export type Scope = 'recipient' | 'message' | 'mailbox' | 'domain'

type Failure = {
  scope: Scope
  code: string
  /** For people, in plain words. */
  reason: string
  /** As the provider said it. */
  providerText?: string
}

/** What became of one attempt. Values, not exceptions; only `accepted` and the two refusals are proof of anything. */
export type SendOutcome =
  | { kind: 'accepted'; messageId: string; threadId?: string; providerText?: string }
  /** Definitely not sent; may work later, not before the provider's own time if it named one. */
  | ({ kind: 'retry'; notBefore?: Date } & Failure)
  /** Definitely not sent, and never will be. */
  | ({ kind: 'rejected' } & Failure)
  /** Handed over, no answer: never retried on a guess. */
  | { kind: 'unknown'; code: string; reason: string; providerText?: string }

const ATTEMPT_OUTCOMES = {
  accepted: 'ACCEPTED',
  retry: 'RETRY',
  rejected: 'REJECTED',
  unknown: 'UNKNOWN',
} as const satisfies Record<SendOutcome['kind'], AttemptOutcome>

/** As the attempt keeps it. */
export function attemptOutcome(outcome: SendOutcome): AttemptOutcome {
  return ATTEMPT_OUTCOMES[outcome.kind]
}

/** Definitely not sent, whether or not a later attempt may be. */
export type Refused = Extract<SendOutcome, { kind: 'retry' } | { kind: 'rejected' }>

export function isRefusal(outcome: SendOutcome): outcome is Refused {
  return outcome.kind === 'retry' || outcome.kind === 'rejected'
}
