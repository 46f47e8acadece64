import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'
import type { NonRetryableErrorCode, RetryableErrorCode, UndecidedErrorCode } from './error-codes.ts'

/** What a failure is about: the recipient or message alone, or everything that leaves the mailbox or goes to the domain. */
export type Scope = 'recipient' | 'message' | 'mailbox' | 'domain'

/** Codes are unions, so that none exists without its sentence (error-codes.ts). */
type Failure<Code> = {
  scope: Scope
  code: Code
  /** For people, in plain words. */
  reason: string
  /** As the provider said it. */
  providerText?: string
}

/** What became of one attempt. Values, not exceptions; only `accepted` and the two refusals are proof of anything. */
export type SendOutcome =
  | { kind: 'accepted'; messageId: string; threadId?: string; providerText?: string }
  /** Definitely not sent; may work later, not before the provider's own time if it named one. */
  | ({ kind: 'retry'; notBefore?: Date } & Failure<RetryableErrorCode>)
  /** Definitely not sent, and never will be. */
  | ({ kind: 'rejected' } & Failure<NonRetryableErrorCode>)
  /** Handed over, no answer: never retried on a guess. */
  | { kind: 'unknown'; code: UndecidedErrorCode; reason: string; providerText?: string }

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

const QUOTED_LENGTH_MAX = 300

/** The reason with the provider's own words, for where nothing else would keep them. */
export function reasonInFull({ reason, providerText }: Pick<Refused, 'reason' | 'providerText'>): string {
  if (!providerText) return reason
  const words = providerText.replace(/\s+/g, ' ')
  return `${reason}${SAID}${words.length > QUOTED_LENGTH_MAX ? `${words.slice(0, QUOTED_LENGTH_MAX)}…` : words}”`
}

const SAID = ' It said: “'

/** A reason that was kept in full, taken apart again: plain words, and the provider's own beneath them. */
export function reasonInParts(kept: string): { sentence: string; providerText: string | null } {
  const at = kept.indexOf(SAID)
  if (at < 0 || !kept.endsWith('”')) return { sentence: kept, providerText: null }
  return { sentence: kept.slice(0, at), providerText: kept.slice(at + SAID.length, -1) }
}
