import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import { isRefusal, type Refused, type SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { ClaimedEmail, ClaimedMailbox } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark, type MarkedEmail } from '#lib/email-scheduler/send/final-check.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { MailConnection, OutgoingMessage } from '#lib/mail/transport.ts'
import { sameForAll } from '#lib/platform/connections/asked-together.ts'
import type { Delivery } from './delivery.ts'
import { type Drafted, discardDrafts, prepareDrafts } from './drafts.ts'
import { giveBackAll, withoutMailbox } from './give-back.ts'
import { reportReleased, reportSettled } from './report.ts'
import { prepareClaimed, type Ready } from './set-aside.ts'

/**
 * Brings claimed emails of one mailbox to their end: a connection for each, then a permit, the mark, the hand-over and
 * the settlement. What does not come that far is released. Connections are opened before a permit is taken, so that a
 * server that hangs holds nothing that others need; where it takes fewer than wanted, the rest of the emails follow on
 * those. `landed` says how many are no longer in flight.
 */
export async function deliver(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  claimed: readonly ClaimedEmail[],
  landed: (count: number) => void,
): Promise<void> {
  const { keeper, log, beginning, lanes } = delivery
  try {
    const ready = await prepareClaimed(delivery, mailbox, claimed)
    landed(claimed.length - ready.length)
    while (ready.length > 0) {
      const { open, refused } = await keeper.take(mailbox, ready.length, beginning.leftMs())
      // A server that was not given its time to answer is not to blame: ours is over, or we stood still.
      if (open.length === 0 && beginning.leftMs() === 0) return await giveBackAll(delivery, ready, OUT_OF_TIME)
      if (open.length === 0 && refused?.code === 'WORKER_STALLED') return await giveBackAll(delivery, ready, refused)
      if (refused && open.length === 0) return await withoutMailbox(delivery, mailbox, ready, refused)
      const seeker = {
        mailboxId: mailbox.id,
        get standing() {
          return lanes.standing(mailbox.id)
        },
      }
      const permits = await delivery.permits.take(seeker, open.length)
      let unused = permits.count
      try {
        for (const connection of open.splice(permits.count)) keeper.giveBack(mailbox, connection)
        // Asked here, after all that had to be waited for, and right before the mark.
        if (beginning.leftMs() === 0) {
          for (const connection of open) keeper.giveBack(mailbox, connection)
          return await giveBackAll(delivery, ready, OUT_OF_TIME)
        }
        await handOverOn(delivery, mailbox, ready.splice(0, open.length), open, (count) => {
          unused -= count
          permits.giveBack(count)
          landed(count)
        })
      } finally {
        permits.giveBack(unused)
      }
    }
  } catch (error) {
    // Nothing is lost: recovery takes the emails when their leases end.
    log.error({ error, mailboxId: mailbox.id, emails: claimed.length }, 'delivering failed')
  }
}

const OUT_OF_TIME = { code: 'out-of-time' } as const

/** Those that pass the final check are handed over together, each on a connection of its own. */
async function handOverOn(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  ready: readonly Ready[],
  connections: MailConnection[],
  landed: (count: number) => void,
): Promise<void> {
  try {
    const drafted = await prepareDrafts(delivery, ready, connections)
    // Asked once more: what a provider prepares may have taken it half a minute.
    if (delivery.beginning.leftMs() === 0) {
      await giveBackAll(delivery, drafted, OUT_OF_TIME)
      landed(ready.length)
      return await discardDrafts(delivery, connections, drafted)
    }
    // From before the mark on: a process that is stopped right after it wakes up with nothing left to hand over in.
    const deadline = new Deadline(delivery.submitMsMax)
    const marked = await markOrTakeBack(delivery, mailbox, drafted)
    const isMarked = new Set(marked.map(({ email }) => email.id))
    await discardDrafts(
      delivery,
      connections,
      drafted.filter(({ email }) => !isMarked.has(email.id)),
    )
    landed(ready.length - marked.length)
    await Promise.all(
      marked.map(async (one) => {
        const connection = connections.pop()
        if (!connection) throw new Error('more emails were marked than there are connections')
        await handOver(delivery, mailbox, one, connection, deadline)
        landed(1)
      }),
    )
  } finally {
    for (const connection of connections) delivery.keeper.giveBack(mailbox, connection)
  }
}

/**
 * The answer to the mark may be lost after Postgres has committed it. Nothing of it was handed over: nobody but this
 * function's caller would, and it hands over only what is answered here. So it is settled as what it is, not sent, and
 * not left for recovery, which would have to call it unknown.
 */
async function markOrTakeBack(delivery: Delivery, mailbox: ClaimedMailbox, ready: readonly Drafted[]) {
  try {
    return await markAll(delivery, mailbox, ready)
  } catch (error) {
    delivery.log.warn({ error, mailboxId: mailbox.id, emails: ready.length }, 'the mark was not answered')
    const unmarked = await Promise.all(
      ready.map(async (one) => {
        const answer = await delivery.settling.add({ ...one.email, marked: true, outcome: NOT_HANDED_OVER })
        return answer?.answer === 'lost-lease' ? [one] : []
      }),
    )
    await giveBackAll(delivery, unmarked.flat(), NOT_HANDED_OVER)
    return []
  }
}

const NOT_HANDED_OVER = {
  kind: 'retry',
  scope: 'message',
  code: 'NOT_HANDED_OVER',
  reason: ERROR_SENTENCES.NOT_HANDED_OVER,
} as const satisfies Refused

async function markAll(delivery: Delivery, mailbox: ClaimedMailbox, ready: readonly Drafted[]) {
  if (ready.length === 0) return []
  const look = await delivery.marks.of(
    mailbox.id,
    ready,
    sameForAll((asks) =>
      checkAndMark(delivery.pool, mailbox.id, mailbox.workspaceId, asks.flat(), delivery.submitMsMax),
    ),
  )
  const prepared = new Map(ready.map((one) => [one.email.id, one]))
  for (const { email, why } of look.lost)
    if (prepared.has(email.id))
      delivery.log.warn({ emailId: email.id, leaseToken: email.leaseToken, why }, 'the lease was lost before the mark')
  for (const { answer, ...given } of look.released) if (prepared.has(given.id)) reportReleased(delivery, given, answer)
  return look.marked.flatMap((one): Handover[] => {
    const { message, draftId } = prepared.get(one.email.id) ?? {}
    return message ? [{ ...one, message, draftId }] : []
  })
}

type Handover = MarkedEmail & { message: OutgoingMessage; draftId: string | undefined }

async function handOver(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  { email, receipt, message, draftId }: Handover,
  connection: MailConnection,
  deadline: Deadline,
): Promise<void> {
  try {
    const outcome = await connection.submit(message, deadline.leftMs(), draftId)
    if (isAnswer(outcome)) delivery.lanes.answered(mailbox.id)
    else delivery.lanes.failed(mailbox.id)
    const answer = await delivery.settling.add({ ...email, marked: true, outcome, receipt })
    reportSettled(delivery, email, outcome, answer)
  } finally {
    // Busy until it is settled: after a crash, no more emails are unknown than there were connections.
    delivery.keeper.giveBack(mailbox, connection)
  }
}

const SILENCE: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ECONNRESET'])

/** The server has said what becomes of this email; not that it is busy, and not nothing. */
function isAnswer(outcome: SendOutcome): boolean {
  if (outcome.kind === 'unknown') return false
  return !isRefusal(outcome) || (outcome.scope !== 'mailbox' && !SILENCE.has(outcome.code))
}
