import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { ClaimedEmail, ClaimedMailbox } from '#lib/email-scheduler/send/claim.ts'
import { type Incomplete, parkIncomplete } from '#lib/email-scheduler/send/park-incomplete.ts'
import { isServerAway } from '#lib/platform/connections/server-away.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Delivery } from './delivery.ts'
import { settleUnmarked, withoutMailbox } from './give-back.ts'
import type { Prepared } from './prepare.ts'
import { reportReleased } from './report.ts'

export type Ready = Extract<Prepared, { kind: 'ready' }>

/** Prepares what was claimed, and brings to its end what cannot be handed over. Answers the rest. */
export async function prepareClaimed(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  claimed: readonly ClaimedEmail[],
): Promise<Ready[]> {
  return setAside(delivery, mailbox, await prepareAll(delivery, mailbox, claimed))
}

/**
 * A bug in preparing one email must neither hold its mailbox up nor go round without end: emails are tried one by one
 * then, and each that fails alone is charged an attempt. Where all fail, the cause is rather ours than theirs: the first
 * is charged, or a mailbox that sends one at a time would never get past it, and the mailbox pauses.
 */
async function prepareAll(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  claimed: readonly ClaimedEmail[],
): Promise<Prepared[]> {
  try {
    return await delivery.prepare(claimed, mailbox.kind)
  } catch (error) {
    if (isServerAway(error)) throw error
    delivery.log.error({ error, mailboxId: mailbox.id, emails: claimed.length }, 'emails could not be prepared')
  }
  const prepared: Prepared[] = []
  const failed: ClaimedEmail[] = []
  for (const email of claimed)
    try {
      prepared.push(...(await delivery.prepare([email], mailbox.kind)))
    } catch (error) {
      if (isServerAway(error)) throw error
      delivery.log.error({ error, emailId: email.id }, 'an email could not be prepared')
      failed.push(email)
    }
  const isOurs = prepared.length === 0
  const charged = isOurs ? failed.slice(0, 1) : failed
  for (const email of charged) await settleUnmarked(delivery, email, notPrepared('message'))
  if (isOurs) await withoutMailbox(delivery, mailbox, asClaimed(failed.slice(1)), notPrepared('mailbox'))
  return prepared
}

/** Parked until the field is filled in, failed with its reason, or given back where it is the mailbox's fault. */
async function setAside(delivery: Delivery, mailbox: ClaimedMailbox, prepared: readonly Prepared[]): Promise<Ready[]> {
  const ready: Ready[] = []
  const incomplete: Incomplete[] = []
  const impossible: Extract<Prepared, { kind: 'impossible' }>[] = []
  for (const one of prepared) {
    switch (one.kind) {
      case 'ready':
        ready.push(one)
        break
      case 'missing-fields':
        incomplete.push(one)
        break
      case 'impossible':
        impossible.push(one)
        break
      case 'unrenderable':
        await settleUnmarked(delivery, one.email, {
          kind: 'rejected',
          scope: 'message',
          code: 'UNRENDERABLE',
          reason: `The message could not be made: ${one.reason}`,
        })
        break
    }
  }
  const [first] = impossible
  if (first) await withoutMailbox(delivery, mailbox, impossible, first.outcome)
  if (incomplete.length === 0) return ready
  const answers = await inTransaction(delivery.pool, (tx) => parkIncomplete(tx, incomplete))
  for (const answer of answers) reportReleased(delivery, undefined, answer)
  return ready
}

const notPrepared = (scope: 'message' | 'mailbox'): Refused => ({
  kind: 'retry',
  scope,
  code: 'NOT_PREPARED',
  reason: ERROR_SENTENCES.NOT_PREPARED,
})

const asClaimed = (emails: readonly ClaimedEmail[]) => emails.map((email) => ({ email }))
