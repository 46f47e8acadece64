import { type Refused, reasonInFull } from '#lib/email-scheduler/outcome.ts'
import type { ClaimedEmail, ClaimedMailbox } from '#lib/email-scheduler/send/claim.ts'
import { handleEmailFailure } from '#lib/email-scheduler/send/handle-failure.ts'
import { tendMailbox } from '#lib/email-scheduler/send/mailbox-faults.ts'
import { type Release, release } from '#lib/email-scheduler/send/release.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Delivery } from './delivery.ts'
import { reportReleased, reportSettled } from './report.ts'

type Claimed = { email: ClaimedEmail }

/** As they were: nothing of it was their own fault. */
export async function giveBackAll(
  delivery: Delivery,
  claimed: readonly Claimed[],
  { code, providerText }: Pick<Release, 'code' | 'providerText'>,
): Promise<void> {
  if (claimed.length === 0) return
  const releases = claimed.map(
    ({ email }): Release => ({
      ...email,
      ...{ code, to: { kind: 'as-it-was' } },
      ...(providerText && { providerText }),
    }),
  )
  const answers = await inTransaction(delivery.pool, (tx) => release(tx, releases))
  answers.forEach((answer, index) => {
    reportReleased(delivery, releases[index], answer)
  })
}

/** Refused before anything was handed over. */
export async function settleUnmarked(delivery: Delivery, email: ClaimedEmail, outcome: Refused): Promise<void> {
  const answer = await delivery.settling.add({ ...email, marked: false, outcome })
  reportSettled(delivery, email, outcome, answer)
}

/**
 * The mailbox cannot send: its server lets nobody in, or its emails cannot be made. Where that is for good, the email
 * that finds out first says so and fails; the others wait for the mailbox, which is stopped or pauses, and none of them
 * is charged an attempt.
 */
export async function withoutMailbox(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  claimed: readonly Claimed[],
  refused: Refused,
): Promise<void> {
  delivery.lanes.failed(mailbox.id)
  // No message was in play: nothing but the mailbox and what is given back can keep the provider's words.
  const isFirst = await tend(delivery, mailbox, { ...refused, reason: reasonInFull(refused) })
  const [first, ...rest] = claimed
  const fails = isFirst && refused.kind === 'rejected' ? first : undefined
  if (fails) await settleUnmarked(delivery, fails.email, refused)
  await giveBackAll(delivery, fails ? rest : claimed, refused)
}

/** Answers whether this was the first to stop it. */
async function tend({ pool, log }: Delivery, mailbox: ClaimedMailbox, refused: Refused): Promise<boolean> {
  const { mailbox: todo } = handleEmailFailure(refused)
  if (!todo) return false
  log.warn({ mailboxId: mailbox.id, ...todo }, 'a mailbox is stopped or pauses')
  try {
    return await tendMailbox(pool, mailbox.id, todo)
  } catch (error) {
    // The next email of the mailbox will meet the same and say so again.
    log.error({ error, mailboxId: mailbox.id }, 'a mailbox could not be stopped or paused')
    return false
  }
}
