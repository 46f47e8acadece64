import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliver } from '#lib/delivery/deliver.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { NOTHING_SENT } from '#lib/delivery/sending-counts.ts'
import { type Claim, claimOwn } from '#lib/email-scheduler/send/claim.ts'
import { type NewEmail, storeEmails } from '#lib/email-scheduler/transactional/store-emails.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { MessagePart } from '#lib/mail/message/parts.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { storeParts } from './email-parts.ts'

export type Storing = NewEmail & { fingerprint: Buffer; parts: readonly MessagePart[] }

/** What is handed over is `rest`, which a process that may be ended after its answer has to wait for. */
export type Stored = { newIds: ReadonlySet<string>; rest: Promise<void> }

type Waiting = {
  emails: readonly Storing[]
  within: Deadline
  done: (stored: Stored) => void
  failed: (error: unknown) => void
}

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
 * not come so far in the time of its caller is released, and the next tick takes it; a process that dies leaves a lease
 * that runs out.
 */
export class Outbox {
  readonly #means: OutboxMeans
  readonly #by: { worker: string; leaseMs: number }
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #busy = new Set<string>()
  readonly #ended = new Map<string, () => void>()

  constructor(means: OutboxMeans) {
    this.#means = means
    this.#by = { worker: `outbox-${randomUUID()}`, leaseMs: means.leaseMs }
  }

  /** Resolves when they are stored. All of them are of one mailbox. */
  store(mailboxId: string, emails: readonly Storing[], within: Deadline): Promise<Stored> {
    return new Promise((done, failed) => {
      const waiting = this.#waiting.get(mailboxId) ?? []
      this.#waiting.set(mailboxId, [...waiting, { emails, within, done, failed }])
      if (!this.#busy.has(mailboxId)) void this.#work(mailboxId)
    })
  }

  /** Of one mailbox, what another transaction has stored and committed. A tick may have taken some of it by now. */
  async handOver(mailboxId: string, ids: readonly string[], within: Deadline): Promise<{ rest: Promise<void> }> {
    const { pool } = this.#means
    const claimed = await inTransaction(pool, (tx) => claimOwn(tx, pool, this.#by, mailboxId, ids))
    const ends = [...this.#handOver(claimed, within).values()]
    return { rest: Promise.all(ends).then(() => undefined) }
  }

  async #work(mailboxId: string): Promise<void> {
    this.#busy.add(mailboxId)
    for (let group = this.#next(mailboxId); group.length > 0; group = this.#next(mailboxId)) {
      try {
        const { newIds, claimed } = await this.#storeAndClaim(
          mailboxId,
          group.flatMap(({ emails }) => emails),
        )
        const within = group.reduce(
          (one, { within }) => (within.leftMs() > one.leftMs() ? within : one),
          new Deadline(0),
        )
        const ends = this.#handOver(claimed, within)
        for (const { emails, done } of group) {
          const own = emails.flatMap(({ id }) => ends.get(id) ?? [])
          done({ newIds, rest: Promise.all(own).then(() => undefined) })
        }
      } catch (error) {
        for (const { failed } of group) failed(error)
      }
    }
    this.#busy.delete(mailboxId)
  }

  #next(mailboxId: string): Waiting[] {
    const waiting = this.#waiting.get(mailboxId) ?? []
    const group: Waiting[] = []
    let count = 0
    let length = 0
    for (const one of waiting) {
      count += one.emails.length
      length += one.emails.reduce((sum, { content: { text, html } }) => sum + text.length + html.length, 0)
      if (group.length > 0 && (count > STORED_AT_ONCE || length > STORED_LENGTH_MAX)) break
      group.push(one)
    }
    const left = waiting.slice(group.length)
    if (left.length > 0) this.#waiting.set(mailboxId, left)
    else this.#waiting.delete(mailboxId)
    return group
  }

  async #storeAndClaim(mailboxId: string, emails: readonly Storing[]) {
    const { pool } = this.#means
    return inTransaction(pool, async (tx) => {
      const newIds = await storeEmails(tx, emails)
      const added = emails.filter(({ id }) => newIds.has(id))
      if (added.length > 0) {
        await refuseRemoved(tx, mailboxId)
        await storeParts(tx, added)
      }
      const ids = added.filter(({ sendAt }) => sendAt === null).map(({ id }) => id)
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

/** Asked once emails name it, which keeps it from being removed until they are committed: nothing takes them over later. */
async function refuseRemoved(tx: Sql, mailboxId: string): Promise<void> {
  const { rowCount } = await tx.query(`SELECT FROM mailboxes WHERE id = $1 AND status = 'ARCHIVED'`, [mailboxId])
  if (rowCount === 0) return
  throw new PublicError(
    409,
    'mailbox-removed',
    'Its mailbox was removed at this moment, and nothing was kept. Ask again, and another one is taken.',
  )
}

/** Until it is over, or the caller's time is. */
export async function waitWithin(rest: Promise<void>, within: Deadline): Promise<void> {
  const stop = new AbortController()
  await Promise.race([rest, sleep(within.leftMs(), undefined, { signal: stop.signal }).catch(() => undefined)])
  stop.abort()
}
