import { deliver } from '#lib/delivery/deliver.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { lookAtLeft, type TakenOver, takeOver } from '#lib/email-scheduler/by-broker/take-over.ts'
import type { Lease } from '#lib/email-scheduler/lease.ts'
import type { Claimer } from '#lib/email-scheduler/send/claim.ts'
import type { InHand, Taking } from './consumer.ts'

type Means = {
  delivery: Delivery
  /** How many may be here at once. */
  most: number
  /** Hears of each claim whose attempt has come to its end here. */
  ended: (lease: Lease) => void
}

/** Emails go to their servers as those that were claimed here do; their messages are acknowledged when they are settled. */
export function takingEmails(by: Claimer, { delivery, most, ended }: Means): Taking<TakenOver> {
  const { pool } = delivery
  return {
    kind: 'email',
    most,
    // Each mailbox goes its own way, within what connections there are.
    batchesMax: Number.POSITIVE_INFINITY,
    takeOver: (wanted) => takeOver(pool, by, wanted),
    leaseOf: ({ email }) => email,
    lookAtLeft: (wanted) => lookAtLeft(pool, wanted),
    carryOut: async (inHand) => {
      const byMailbox = Map.groupBy(inHand, ({ taken }) => taken.mailbox.id)
      await Promise.all([...byMailbox.values()].map((ofMailbox) => deliverAll(delivery, ofMailbox, ended)))
    },
  }
}

/**
 * Each batch answers its own messages, and no other's: where this process stood still past a lease, a later claim of
 * the same email may be in hand beside the earlier one.
 */
async function deliverAll(delivery: Delivery, inHand: readonly InHand<TakenOver>[], tell: Means['ended']) {
  const [first] = inHand
  if (!first) return
  const open = new Map(inHand.map((one) => [one.taken.email.id, one]))
  const ended = (emailId: string) => {
    const one = open.get(emailId)
    if (!one) return
    open.delete(emailId)
    one.arrived.done()
    tell(one.taken.email)
  }
  const emails = inHand.map(({ taken }) => taken.email)
  await deliver({ ...delivery, ended }, first.taken.mailbox, emails, () => undefined)
  // Nothing was written down for it: another process has it, or Postgres was away. The next taker of the message will see.
  for (const { arrived } of open.values()) arrived.again()
}
