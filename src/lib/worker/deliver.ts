import type pg from 'pg'
import type { ClaimedEmail } from '#lib/email-scheduler/claim.ts'
import type { ClaimedMailbox } from '#lib/email-scheduler/claim-next.ts'
import { handleEmailFailure } from '#lib/email-scheduler/handle-failure.ts'
import { lookAndMark, type MarkedEmail } from '#lib/email-scheduler/last-look.ts'
import { forgetFaults, pauseMailbox, stopMailbox } from '#lib/email-scheduler/mailbox-faults.ts'
import { isRefusal, type Refused, type SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { type Incomplete, parkIncomplete } from '#lib/email-scheduler/park-incomplete.ts'
import { type Release, type ReleaseAnswer, release } from '#lib/email-scheduler/release.ts'
import type { SettleAnswer } from '#lib/email-scheduler/settle.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { MailConnection, OutgoingMessage } from '#lib/mail/transport.ts'
import { againOnDeadlock, inTransaction } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import type { ConnectionKeeper } from './connections.ts'
import type { Permits } from './permits.ts'
import type { PrepareContents, Prepared } from './prepare.ts'
import type { SendingCounts } from './send-due.ts'
import type { Settling } from './settling.ts'

export type Delivery = {
  pool: pg.Pool
  log: Log
  keeper: ConnectionKeeper
  prepare: PrepareContents
  settling: Settling
  submitMsMax: number
  counts: SendingCounts
  permits: Permits
  /** False once what would be handed over could outlive the process. */
  mayBegin: () => boolean
}

type Ready = Extract<Prepared, { kind: 'ready' }>

/**
 * Brings claimed emails of one mailbox to their end: a connection for each, then the mark, then the hand-over, then the
 * settlement. Whatever does not come so far is released. A server may take fewer connections than we would open: the rest
 * of the emails then follow on those that it took. `landed` says how many are no longer in flight.
 */
export async function deliver(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  claimed: readonly ClaimedEmail[],
  landed: (count: number) => void,
): Promise<void> {
  const { keeper, log } = delivery
  try {
    const ready = await setAside(delivery, await delivery.prepare(claimed))
    landed(claimed.length - ready.length)
    while (ready.length > 0) {
      const permits = await delivery.permits.take(ready.length)
      let unused = permits
      try {
        if (!delivery.mayBegin()) return await giveBackAll(delivery, ready, 'out-of-time')
        const { open, refused } = await keeper.take(mailbox, permits)
        if (refused && open.length === 0) return await withoutConnection(delivery, mailbox, ready, refused)
        if (mailbox.hasFaults) await forgetFaults(delivery.pool, mailbox.id)
        await handOverOn(delivery, mailbox, ready.splice(0, open.length), open, (count) => {
          unused -= count
          delivery.permits.giveBack(count)
          landed(count)
        })
      } finally {
        delivery.permits.giveBack(unused)
      }
    }
  } catch (error) {
    // Nothing is lost: recovery takes the emails when their leases end.
    log.error({ error, mailboxId: mailbox.id, emails: claimed.length }, 'delivering failed')
  }
}

/** Those that pass the last look are handed over together, each on a connection of its own. */
async function handOverOn(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  ready: readonly Ready[],
  connections: MailConnection[],
  landed: (count: number) => void,
): Promise<void> {
  try {
    // From before the mark on: a process that is stopped right after it wakes up with nothing left to hand over in.
    const deadline = new Deadline(delivery.submitMsMax)
    const marked = await markAll(delivery, mailbox, ready)
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

/** What cannot be handed over as it is: parked until somebody fills the field in, or failed with its reason. */
async function setAside(delivery: Delivery, prepared: readonly Prepared[]): Promise<Ready[]> {
  const ready: Ready[] = []
  const incomplete: Incomplete[] = []
  for (const one of prepared) {
    switch (one.kind) {
      case 'ready':
        ready.push(one)
        break
      case 'missing-fields':
        incomplete.push(one)
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
  if (incomplete.length === 0) return ready
  const answers = await againOnDeadlock(() => inTransaction(delivery.pool, (tx) => parkIncomplete(tx, incomplete)))
  for (const answer of answers) reportReleased(delivery, undefined, answer)
  return ready
}

/**
 * The mailbox's server cannot be used. Where it refused the login for good, the email of whoever finds out first says so
 * and fails; the rest wait for the mailbox, which is stopped or pauses, and none of them is charged an attempt.
 */
async function withoutConnection(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  ready: readonly Ready[],
  refused: Refused,
): Promise<void> {
  const isFirst = await tendMailbox(delivery, mailbox, refused)
  const [first, ...rest] = ready
  const fails = isFirst && refused.kind === 'rejected' ? first : undefined
  if (fails) await settleUnmarked(delivery, fails.email, refused)
  await giveBackAll(delivery, fails ? rest : ready, refused.code)
}

async function markAll(delivery: Delivery, mailbox: ClaimedMailbox, ready: readonly Ready[]) {
  if (ready.length === 0) return []
  const look = await againOnDeadlock(() =>
    lookAndMark(delivery.pool, mailbox.id, mailbox.workspaceId, ready, delivery.submitMsMax),
  )
  for (const { email, why } of look.lost) {
    delivery.log.warn({ emailId: email.id, leaseToken: email.leaseToken, why }, 'the lease was lost before the mark')
  }
  for (const { answer, ...given } of look.released) reportReleased(delivery, given, answer)
  const messages = new Map(ready.map(({ email, message }) => [email.id, message]))
  return look.marked.flatMap((one) => {
    const message = messages.get(one.email.id)
    return message ? [{ ...one, message }] : []
  })
}

type Handover = MarkedEmail & { message: OutgoingMessage }

async function handOver(
  delivery: Delivery,
  mailbox: ClaimedMailbox,
  { email, receipt, message }: Handover,
  connection: MailConnection,
  deadline: Deadline,
): Promise<void> {
  const outcome = await connection.submit(message, deadline.leftMs())
  const answer = await delivery.settling.add({ ...email, marked: true, outcome, receipt })
  delivery.keeper.giveBack(mailbox, connection)
  report(delivery, email, outcome, answer)
  await tendMailbox(delivery, mailbox, outcome)
}

async function settleUnmarked(delivery: Delivery, email: ClaimedEmail, outcome: Refused): Promise<void> {
  const answer = await delivery.settling.add({ ...email, marked: false, outcome })
  report(delivery, email, outcome, answer)
}

/** As they were: nothing of it was their own fault. */
async function giveBackAll(delivery: Delivery, ready: readonly Ready[], code: string): Promise<void> {
  if (ready.length === 0) return
  const releases = ready.map(({ email }): Release => ({ ...email, code, to: { kind: 'as-it-was' } }))
  const answers = await againOnDeadlock(() => inTransaction(delivery.pool, (tx) => release(tx, releases)))
  answers.forEach((answer, index) => {
    reportReleased(delivery, releases[index], answer)
  })
}

function reportReleased({ counts, log }: Delivery, given: Release | undefined, answer: ReleaseAnswer): void {
  const status = answer.answer === 'released' ? answer.status : undefined
  if (status === 'CANCELLED') counts.cancelled += 1
  else counts.released += 1
  log.info(
    { emailId: answer.id, leaseToken: given?.leaseToken, code: given?.code, answer: answer.answer, status },
    'released',
  )
}

function report(delivery: Delivery, email: ClaimedEmail, outcome: SendOutcome, answer: SettleAnswer | undefined): void {
  const { counts, log } = delivery
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
}

/** Answers whether this was the first to stop it. */
async function tendMailbox({ pool, log }: Delivery, mailbox: ClaimedMailbox, outcome: SendOutcome): Promise<boolean> {
  const { mailbox: todo } = handleEmailFailure(outcome)
  if (!todo) return false
  log.warn({ mailboxId: mailbox.id, ...todo }, 'a mailbox is stopped or pauses')
  try {
    if (todo.kind === 'stop') return await stopMailbox(pool, mailbox.id, todo.reason)
    await pauseMailbox(pool, mailbox.id, todo.reason, todo.until)
  } catch (error) {
    // The next email of the mailbox will meet the same and say so again.
    log.error({ error, mailboxId: mailbox.id }, 'a mailbox could not be stopped or paused')
  }
  return false
}
