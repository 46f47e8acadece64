import { isRefusal, type SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Release, ReleaseAnswer } from '#lib/email-scheduler/send/release.ts'
import type { SettleAnswer } from '#lib/email-scheduler/send/settlement.ts'
import type { Delivery } from './delivery.ts'

/** Counts and logs what became of an attempt. */
export function reportSettled(
  { counts, log, ended }: Pick<Delivery, 'counts' | 'log' | 'ended'>,
  email: ClaimedEmail,
  outcome: SendOutcome,
  answer: SettleAnswer | undefined,
): void {
  if (isRefusal(outcome)) counts.failed += 1
  if (answer?.status === 'SENT') counts.sent += 1
  else if (answer?.status === 'OUTCOME_UNKNOWN') counts.unknown += 1
  else if (answer?.status === 'RETRY_SCHEDULED') counts.retried += 1
  else if (answer?.status === 'PERMANENTLY_FAILED') counts.dead += 1
  else if (answer?.status === 'CANCELLED') counts.cancelled += 1
  log.info(
    {
      emailId: email.id,
      leaseToken: email.leaseToken,
      mailboxId: email.mailboxId,
      campaignId: email.campaignId,
      outcome: outcome.kind,
      code: outcome.kind === 'accepted' ? undefined : outcome.code,
      answer: answer?.answer,
      status: answer?.status,
    },
    'settled',
  )
  ended?.(email.id)
}

/** Counts and logs an email that was given back without an attempt; one that another holds by now was not. */
export function reportReleased(
  { counts, log, ended }: Pick<Delivery, 'counts' | 'log' | 'ended'>,
  given: Release | undefined,
  answer: ReleaseAnswer,
): void {
  const status = answer.answer === 'released' ? answer.status : undefined
  if (status === 'CANCELLED') counts.cancelled += 1
  else if (status) counts.released += 1
  log.info(
    { emailId: answer.id, leaseToken: given?.leaseToken, code: given?.code, answer: answer.answer, status },
    'released',
  )
  ended?.(answer.id)
}
