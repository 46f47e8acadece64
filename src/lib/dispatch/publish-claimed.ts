import type { Delivery } from '#lib/delivery/delivery.ts'
import { giveBackAll } from '#lib/delivery/give-back.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Broker } from './broker.ts'
import type { Message } from './message.ts'
import { publish } from './publish.ts'

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
  const { published, refused } = await publish(broker, 'email', emails, messageOf)
  for (const email of published) count(delivery, email, true)
  for (const email of refused) count(delivery, email, false)
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

export function messageOf({ id, idempotencyKey, leaseToken }: ClaimedEmail): Extract<Message, { kind: 'email' }> {
  return { kind: 'email', emailId: id, key: idempotencyKey, leaseToken }
}

/** Each decision by itself, for the question, asked later, why an email went when it did. */
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
