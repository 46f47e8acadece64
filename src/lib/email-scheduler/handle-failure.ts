import type { RetryableErrorCode } from './error-codes.ts'
import type { SendOutcome } from './outcome.ts'

/** What has to happen beyond the email itself. */
export type FailureHandling = {
  /** `stop`: a person has to mend it. `defer`: it goes on by itself, at `until` or soon. */
  mailbox?: { kind: 'stop'; reason: string } | { kind: 'defer'; until?: Date; reason: string }
  /** The address does not exist: nothing goes there any more, from any campaign. */
  suppressRecipient?: boolean
  /** False where the email was only the first to find out: it waits as it did, and none of its retries is used up. */
  countsAttempt: boolean
}

/** Waiting does not mend these: what the mailbox says about its server has to be changed. */
const MENDED_BY_A_PERSON: ReadonlySet<string> = new Set<RetryableErrorCode>([
  'HOST_FORBIDDEN',
  'MAILBOX_INCOMPLETE',
  'LOGIN_UNSUPPORTED',
])

/** The email itself is settled by its outcome; this says what follows for its mailbox and its recipient. */
export function handleEmailFailure(outcome: SendOutcome): FailureHandling {
  switch (outcome.kind) {
    case 'accepted':
    case 'unknown':
      return { countsAttempt: true }
    case 'retry':
      if (outcome.scope !== 'mailbox') return { countsAttempt: true }
      return {
        mailbox: MENDED_BY_A_PERSON.has(outcome.code)
          ? { kind: 'stop', reason: outcome.reason }
          : { kind: 'defer', reason: outcome.reason, ...(outcome.notBefore && { until: outcome.notBefore }) },
        countsAttempt: false,
      }
    case 'rejected':
      switch (outcome.scope) {
        case 'mailbox':
          // The others would fail one by one for the same cause: they wait for the mailbox instead.
          return { mailbox: { kind: 'stop', reason: outcome.reason }, countsAttempt: true }
        case 'recipient':
          return outcome.code === 'HARD_BOUNCE'
            ? { suppressRecipient: true, countsAttempt: true }
            : { countsAttempt: true }
        case 'message':
        case 'domain':
          return { countsAttempt: true }
      }
  }
}
