import { setTimeout as sleep } from 'node:timers/promises'
import { lookAtLeftActions, takeOverActions } from '#lib/actions/by-broker/take-over.ts'
import { markError } from '#lib/actions/settle.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { reportSettled } from '#lib/delivery/report.ts'
import { lookAtLeft, takeOver } from '#lib/email-scheduler/by-broker/take-over.ts'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { Claimer } from '#lib/email-scheduler/send/claim.ts'
import type { Left } from '#lib/platform/rows/for-broker.ts'
import type { DeadLetter } from './broker.ts'
import { countDeadLetter } from './dead-letters.ts'
import { idOf, type Message, readMessage } from './message.ts'

const PAUSE_AFTER_FAILURE_MS = 1_000

/**
 * What lies in the dead place becomes something that people see: it is counted by reason, which health and metrics show,
 * and an email or action that was given to workers again and again ends its attempt with that as its error. It was not
 * sent, or carried out, so its policy says when it is tried next, and in the end it waits for a person: one that ends
 * every worker it meets must not do so for ever, and those that were only with it when that happened go on with their retry.
 */
export async function sweepDead(delivery: Delivery, by: Claimer, letter: DeadLetter): Promise<void> {
  const { pool, log } = delivery
  try {
    const read = readMessage(letter.text)
    const reason = read.ok ? letter.reason : 'unreadable'
    if (read.ok && reason === 'delivered-too-often') await endAttempt(delivery, by, read.message)
    await countDeadLetter(pool, reason)
    const what = read.ok ? { kind: read.message.kind, id: idOf(read.message) } : { problem: read.problem }
    log.warn({ reason, ...what }, 'a message was put aside by the broker')
    letter.done()
  } catch (error) {
    log.warn({ error }, 'a dead letter could not be written down; it is tried again')
    await sleep(PAUSE_AFTER_FAILURE_MS, undefined, { ref: false })
    letter.again()
  }
}

async function endAttempt(delivery: Delivery, by: Claimer, message: Message): Promise<void> {
  const { pool } = delivery
  const lease = { id: idOf(message), leaseToken: message.leaseToken, fromAnyone: true }
  switch (message.kind) {
    case 'email': {
      const [taken] = await takeOver(pool, by, [lease])
      if (!taken) return refusePassedOver(await lookAtLeft(pool, [lease]))
      const answer = await delivery.settling.add({ ...taken.email, marked: false, outcome: WORKERS_LOST })
      return reportSettled(delivery, taken.email, WORKERS_LOST, answer)
    }
    case 'action': {
      const taken = await takeOverActions(pool, by.worker, [lease])
      if (taken.length === 0) return refusePassedOver(await lookAtLeftActions(pool, [lease]))
      return markError(pool, taken, ACTION_WORKERS_LOST)
    }
  }
}

function refusePassedOver([left]: Left[]): void {
  if (left === 'passed-over') throw new Error('what it names is in the hands of another transaction')
}

const WORKERS_LOST = {
  kind: 'retry',
  scope: 'message',
  code: 'WORKERS_LOST',
  reason: ERROR_SENTENCES.WORKERS_LOST,
} as const satisfies Refused

const ACTION_WORKERS_LOST =
  'It was given to one worker after the other, and each was lost before it was done. The workers’ logs say why they ended.'
