import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { reportSettled } from '#lib/delivery/report.ts'
import { lookAtLeft, takeOver } from '#lib/email-scheduler/by-broker/take-over.ts'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { Claimer } from '#lib/email-scheduler/send/claim.ts'
import type { DeadLetter } from './broker.ts'
import { countDeadLetter } from './dead-letters.ts'
import { readMessage } from './message.ts'

const PAUSE_AFTER_FAILURE_MS = 1_000

/**
 * What lies in the dead place becomes something that people see: it is counted by reason, which health and metrics show,
 * and an email that was given to workers again and again ends its attempt with that as its error. It was not sent, so
 * its policy says when it is tried next, and in the end it waits for a person: one that ends every worker it meets
 * must not do so for ever, and those that were only with it when that happened go out with their retry.
 */
export async function sweepDead(delivery: Delivery, by: Claimer, letter: DeadLetter): Promise<void> {
  const { pool, log } = delivery
  try {
    const read = readMessage(letter.text)
    const reason = read.ok ? letter.reason : 'unreadable'
    if (read.ok && reason === 'delivered-too-often') {
      const { emailId, leaseToken } = read.message
      const wanted = [{ id: emailId, leaseToken, fromAnyone: true }]
      const [taken] = await takeOver(pool, by, wanted)
      if (!taken && (await lookAtLeft(pool, wanted))[0] === 'passed-over')
        throw new Error('the email is in the hands of another transaction')
      if (taken) {
        const answer = await delivery.settling.add({ ...taken.email, marked: false, outcome: WORKERS_LOST })
        reportSettled(delivery, taken.email, WORKERS_LOST, answer)
      }
    }
    await countDeadLetter(pool, reason)
    log.warn(
      { reason, ...(read.ok ? { emailId: read.message.emailId } : { problem: read.problem }) },
      'a message was put aside by the broker',
    )
    letter.done()
  } catch (error) {
    log.warn({ error }, 'a dead letter could not be written down; it is tried again')
    await sleep(PAUSE_AFTER_FAILURE_MS, undefined, { ref: false })
    letter.again()
  }
}

const WORKERS_LOST = {
  kind: 'retry',
  scope: 'message',
  code: 'WORKERS_LOST',
  reason: ERROR_SENTENCES.WORKERS_LOST,
} as const satisfies Refused
