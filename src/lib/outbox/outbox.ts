import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliver } from '#lib/delivery/deliver.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { NOTHING_SENT } from '#lib/delivery/sending-counts.ts'
import { type Claim, claimOwn, holdMailbox } from '#lib/email-scheduler/send/claim.ts'
import { type NewEmail, storeEmails } from '#lib/email-scheduler/transactional/store-emails.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { MessagePart } from '#lib/mail/message/parts.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { storeParts } from './email-parts.ts'

export type Storing = NewEmail & { fingerprint: Buffer; parts: readonly MessagePart[] }

/** What is handed over is `rest`, which a process that may be ended after its answer has to wait for. */
export type Stored = { newIds: ReadonlySet<string>; rest: Promise<void> }

type Asked = { emails: readonly Storing[]; within: Deadline }

/** Everything that hands over in one process shares these. */
export type OutboxMeans = Omit<Delivery, 'counts' | 'beginning' | 'ended'> & { leaseMs: number }

/** Stored by one commit: as many requests as have come in while the last was under way. */
const STORED_AT_ONCE = 100
/** And no more than this of their texts, which are in memory several times over by then. One batch may have more. */
const STORED_LENGTH_MAX = 8 * 1024 * 1024
/** Marked by one commit. An answer waits for the emails that its own was marked with to be composed, and for no more. */
const HANDED_AT_ONCE = 10

type Claimed = Extract<Claim, { kind: 'claimed' }>

/**
 * Stores transactional emails and hands them over at once. They are claimed in the transaction that stores them, so that
 * no tick takes them, and then take the way of all emails: final check, mark, hand-over, settlement. What does
 * not come so far in the time of its caller is released, and what is stored after it is not claimed: the next tick takes
 * both. A process that dies leaves a lease that runs out.
 */
export class Outbox {
  readonly #means: OutboxMeans
  readonly #by: { worker: string; leaseMs: number }
  readonly #stores = new AskedTogether<Asked, Stored>(
    ({ emails }) => emails.length / STORED_AT_ONCE + lengthOf(emails) / STORED_LENGTH_MAX,
  )
  readonly #ended = new Map<string, () => void>()

  constructor(means: OutboxMeans) {
    this.#means = means
    this.#by = { worker: `outbox-${randomUUID()}`, leaseMs: means.leaseMs }
  }

  /** Resolves when they are stored. All of them are of one mailbox. */
  store(mailboxId: string, emails: readonly Storing[], within: Deadline): Promise<Stored> {
    return this.#stores.of(mailboxId, { emails, within }, (group) => this.#storeTogether(mailboxId, group))
  }

  /** Of one mailbox, what another transaction has stored and committed. A tick may have taken some of it by now. */
  async handOver(mailboxId: string, ids: readonly string[], within: Deadline): Promise<{ rest: Promise<void> }> {
    const { pool } = this.#means
    const claimed = await inTransaction(pool, async (tx) => {
      await holdMailbox(tx, mailboxId)
      return claimOwn(tx, pool, this.#by, mailboxId, ids)
    })
    const ends = [...this.#handOver(claimed, within).values()]
    return { rest: Promise.all(ends).then(() => undefined) }
  }

  async #storeTogether(mailboxId: string, group: readonly Asked[]): Promise<Stored[]> {
    const { newIds, claimed } = await this.#storeAndClaim(mailboxId, group)
    const within = group.reduce((one, { within }) => (within.leftMs() > one.leftMs() ? within : one), new Deadline(0))
    const ends = this.#handOver(claimed, within)
    return group.map(({ emails }) => {
      const own = emails.flatMap(({ id }) => ends.get(id) ?? [])
      return { newIds, rest: Promise.all(own).then(() => undefined) }
    })
  }

  async #storeAndClaim(mailboxId: string, group: readonly Asked[]) {
    const { pool } = this.#means
    const emails = group.flatMap(({ emails }) => emails)
    return inTransaction(pool, async (tx) => {
      const newIds = await storeEmails(tx, emails)
      const added = emails.filter(({ id }) => newIds.has(id))
      if (added.length > 0) {
        // Asked once they name it, which keeps it from being removed until they are committed: nothing takes them over later.
        if ((await holdMailbox(tx, mailboxId)).isRemoved) throw mailboxRemoved()
        await storeParts(tx, added)
      }
      // Asked for each when its turn has come: a caller whose time is over by then is told that it is queued.
      const inTime = new Set(group.flatMap(({ emails, within }) => (within.isOver() ? [] : emails)))
      const ids = added.filter((one) => one.sendAt === null && inTime.has(one)).map(({ id }) => id)
      return { newIds, claimed: ids.length > 0 ? await claimOwn(tx, pool, this.#by, mailboxId, ids) : undefined }
    })
  }

  /** When each of them has come to its end. */
  #handOver(claimed: Claimed | undefined, within: Deadline): Map<string, Promise<void>> {
    const ends = new Map<string, Promise<void>>()
    if (!claimed) return ends
    for (const { id } of claimed.emails) ends.set(id, new Promise((end) => this.#ended.set(id, end)))
    const delivery: Delivery = {
      ...this.#means,
      counts: { ...NOTHING_SENT },
      beginning: within,
      ended: (id) => this.#end(id),
    }
    for (let at = 0; at < claimed.emails.length; at += HANDED_AT_ONCE) {
      const some = claimed.emails.slice(at, at + HANDED_AT_ONCE)
      this.#means.lanes.claimed(claimed.mailbox.id, some.length)
      void deliver(delivery, claimed.mailbox, some, (count) =>
        this.#means.lanes.landed(claimed.mailbox.id, count),
      ).finally(() => {
        for (const { id } of some) this.#end(id)
      })
    }
    return ends
  }

  #end(id: string): void {
    this.#ended.get(id)?.()
    this.#ended.delete(id)
  }
}

function lengthOf(emails: readonly Storing[]): number {
  return emails.reduce((sum, { content: { text, html } }) => sum + text.length + html.length, 0)
}

const mailboxRemoved = () =>
  new PublicError(
    409,
    'mailbox-removed',
    'Its mailbox was removed at this moment, and nothing was kept. Ask again, and another one is taken.',
  )

/** Until it is over, or the caller's time is. */
export async function waitWithin(rest: Promise<void>, within: Deadline): Promise<void> {
  const stop = new AbortController()
  await Promise.race([rest, sleep(within.leftMs(), undefined, { signal: stop.signal }).catch(() => undefined)])
  stop.abort()
}
