import type { RetryableErrorCode } from '#lib/email-scheduler/error-codes.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'

/**
 * Ways in which a mailbox burns its emails when nothing else comes of them: no answer after the hand-over, refused as
 * spam or for where it comes from, or every recipient refused.
 */
export type Burning = 'unknown' | 'blocked' | 'bounced'

/** After this many hand-overs in a row that went the same wrong way, a mailbox pauses, or all mailboxes of a domain. */
export const BURNED_MAX = 5
/** One email at a time is then tried; after this many pauses without one that went well, a person has to look. */
export const PAUSES_MAX = 3

const BURNING: Record<Burning, (inRow: number, of: string) => string> = {
  unknown: (inRow, of) =>
    `The last ${inRow} messages${of} were handed over and never answered. Look at the mail server, and whether they arrived.`,
  blocked: (inRow, of) =>
    `The last ${inRow} messages${of} were refused by policy, as spam or for the address or network they come from. Look at the server’s answers before more are refused.`,
  bounced: (inRow, of) =>
    `The last ${inRow} recipients${of} were refused one after the other. Either the list is bad or the server refuses everybody; look at its answers.`,
}

export function burnedSentence(burns: Burning, inRow: number, domain?: string): string {
  return BURNING[burns](inRow, domain === undefined ? '' : ` of mailboxes at ${domain}`)
}

/** What has to happen beyond the email itself. */
export type FailureHandling = {
  /** `stop`: a person has to mend it. `defer`: it goes on by itself, at `until` or soon. */
  mailbox?: { kind: 'stop'; reason: string } | { kind: 'defer'; until?: Date; reason: string }
  /** The address does not exist: nothing goes there any more, from any campaign. */
  suppressRecipient?: boolean
  /** One of these is the email's matter; several in a row are the mailbox's, which then pauses. */
  burns?: Burning
  /** False where the email was only the first to find out: it waits as it did, and none of its retries is used up. */
  countsAttempt: boolean
}

/** Waiting does not mend these: what the mailbox says about its server has to be changed. */
const MENDED_BY_A_PERSON: ReadonlySet<string> = new Set<RetryableErrorCode>([
  'HOST_FORBIDDEN',
  'MAILBOX_INCOMPLETE',
  'LOGIN_UNSUPPORTED',
  'ENCRYPTION_NEEDED',
])

/** It never came to an attempt. */
const NOBODYS_FAULT: ReadonlySet<string> = new Set<RetryableErrorCode>(['NOT_HANDED_OVER'])

/** The email itself is settled by its outcome; this says what follows for its mailbox and its recipient. */
export function handleEmailFailure(outcome: SendOutcome): FailureHandling {
  switch (outcome.kind) {
    case 'accepted':
      return { countsAttempt: true }
    case 'unknown':
      return { burns: 'unknown', countsAttempt: true }
    case 'retry':
      if (outcome.scope !== 'mailbox') return { countsAttempt: !NOBODYS_FAULT.has(outcome.code) }
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
            ? { suppressRecipient: true, burns: 'bounced', countsAttempt: true }
            : { burns: 'bounced', countsAttempt: true }
        case 'domain':
          return { burns: 'blocked', countsAttempt: true }
        case 'message':
          return { countsAttempt: true }
      }
  }
}
