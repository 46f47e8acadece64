import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import type { ClaimedEmail } from './claim.ts'

/**
 * `marked`: whether the settler itself set the mark. A connection may fail before it, which proves that nothing was
 * sent; but a second holder of the same token that never marked must not settle what the first one is submitting.
 */
export type Settlement = Pick<ClaimedEmail, 'id' | 'leaseToken' | 'worker' | 'claimedAt' | 'mailboxId'> &
  ({ marked: true; outcome: SendOutcome } | { marked: false; outcome: Refused }) & {
    /** As it was claimed; of what came as evidence, nobody remembers. */
    kind?: EmailKind
    /** What each guard answered at the mark. */
    receipt?: Record<string, unknown>
  }

/**
 * `late`: the lease was lost, and what the provider said counts as evidence. `already-settled`: this attempt's end is
 * known; settling is repeated until it commits. `lost-lease`: there is nothing to settle.
 */
export type SettleAnswer = {
  id: string
  leaseToken: number
  answer: 'settled' | 'late' | 'already-settled' | 'lost-lease'
  status?: ScheduledEmailStatus | undefined
}
