import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { giveBackAll } from '#lib/delivery/give-back.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Broker } from './broker.ts'
import { type Message, messageId, writeMessage } from './message.ts'

/** A broker that has said nothing for so long has not taken it, as far as we know. */
const CONFIRM_MS_MAX = 10_000

/**
 * Puts claimed emails into the broker, and gives back what it has not taken for sure: to the queue, as they were, with no
 * attempt consumed. It may have taken them all the same; such a message finds another token later, and nothing happens.
 * Answers what is under way.
 */
export async function publishClaimed(
  delivery: Delivery,
  broker: Broker,
  emails: readonly ClaimedEmail[],
): Promise<ClaimedEmail[]> {
  const bodies = emails.map(messageOf).map((message) => ({ id: messageId(message), text: writeMessage(message) }))
  const taken = await withinTime(broker.publish(bodies))
  const published: ClaimedEmail[] = []
  const refused: ClaimedEmail[] = []
  emails.forEach((email, index) => {
    const isPublished = taken?.[index] === true
    if (isPublished) published.push(email)
    else refused.push(email)
    count(delivery, email, isPublished)
  })
  try {
    await giveBackAll(
      delivery,
      refused.map((email) => ({ email })),
      { code: 'broker-unreachable' },
    )
  } catch (error) {
    delivery.log.error({ error, emails: refused.length }, 'what no broker took could not be given back')
    // Nothing is lost: recovery takes the emails when their leases end.
  }
  return published
}

export function messageOf({ id, idempotencyKey, leaseToken }: ClaimedEmail): Message {
  return { kind: 'email', emailId: id, key: idempotencyKey, leaseToken }
}

/** Each decision by itself, for whoever asks later why an email went when it did. */
function count({ counts, log }: Delivery, email: ClaimedEmail, isPublished: boolean): void {
  const { id: emailId, leaseToken, attempts, nextRetryAt } = email
  if (!isPublished) {
    counts.unpublished += 1
    log.warn({ emailId, leaseToken, attempts, nextRetryAt, reason: 'broker-unreachable' }, 'not published')
    return
  }
  counts.published += 1
  if (nextRetryAt) counts.republished += 1
  log.info({ emailId, leaseToken, attempts, nextRetryAt }, 'published')
}

async function withinTime(answer: Promise<boolean[]>): Promise<boolean[] | undefined> {
  const over = new AbortController()
  const late = sleep(CONFIRM_MS_MAX, undefined, { signal: over.signal }).catch(() => undefined)
  try {
    return await Promise.race([answer, late])
  } finally {
    over.abort()
  }
}
