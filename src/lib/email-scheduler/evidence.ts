import type { MailboxKind } from '#lib/platform/generated/enums.ts'
import type { SendOutcome } from './outcome.ts'

/** An attempt of which nobody knows whether it was accepted. */
export type UnknownAttempt = {
  id: string
  leaseToken: number
  worker: string
  claimedAt: Date
  markedAt: Date
  workspaceId: string
  mailboxId: string
  mailboxKind: MailboxKind
  messageId: string | null
  /** What the provider had made of it before the mark; null where it makes nothing. */
  draftId: string | null
}

/**
 * Asks the provider what became of a message. `accepted` and a refusal are proof, and a refusal must fence as well:
 * the one who asks has made sure that the attempt can no longer be accepted. `unknown` says in its reason why nothing
 * was learned.
 */
export type AskProvider = (attempt: UnknownAttempt) => Promise<SendOutcome>

/** The first question comes when the lease is over. After the last, a person has to decide. */
export const ASK_PAUSES_MINUTES = [1, 5, 15, 60, 240] as const
