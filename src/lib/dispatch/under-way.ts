import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Lanes } from '#lib/delivery/lanes.ts'
import { type Landed, lookForLanded } from '#lib/email-scheduler/by-broker/landed.ts'
import type { Lease } from '#lib/email-scheduler/lease.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Log } from '#lib/platform/log.ts'

/** What this process lands itself is known at once; of the rest, Postgres is asked this often. */
const LOOK_MS = 100
const LOOK_AGAIN_AFTER_FAILURE_MS = 1_000

/**
 * What this process has published and nobody has brought to its end yet, wherever that happens: by it the lanes know how
 * much more may be claimed, so that what is in a broker, and this list, stay as small as what can soon be sent.
 */
export class UnderWay {
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #lanes: Lanes
  readonly #emails = new Map<string, ClaimedEmail>()
  #waiting: (() => void)[] = []
  #isWatching = false
  #isStopped = false

  constructor(pool: pg.Pool, log: Log, lanes: Lanes) {
    this.#pool = pool
    this.#log = log
    this.#lanes = lanes
  }

  get count(): number {
    return this.#emails.size
  }

  add(emails: readonly ClaimedEmail[]): void {
    for (const email of emails) {
      // Claimed again before it was seen that an earlier claim of it had ended: its place in the lane is free by that.
      const earlier = this.#emails.get(email.id)
      if (earlier) this.#land(earlier)
      this.#emails.set(email.id, email)
      this.#lanes.claimed(email.mailboxId, 1)
    }
    if (!this.#isWatching && this.count > 0) void this.#watch()
  }

  /** This process has come to the end of an attempt: the lanes have heard from the hand-over itself how it went. */
  landedHere({ id, leaseToken }: Lease): void {
    const email = this.#emails.get(id)
    if (email?.leaseToken === leaseToken) this.#land(email)
  }

  next(): Promise<void> {
    return new Promise((wake) => this.#waiting.push(wake))
  }

  /** Nothing is asked any more. Answers what nobody was known to have brought to its end. */
  stop(): ClaimedEmail[] {
    this.#isStopped = true
    return [...this.#emails.values()]
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    while (this.count > 0 && !this.#isStopped) {
      await sleep(LOOK_MS, undefined, { ref: false })
      try {
        for (const landed of await lookForLanded(this.#pool, [...this.#emails.values()])) {
          const email = this.#emails.get(landed.id)
          if (email?.leaseToken !== landed.leaseToken) continue
          this.#tellLanes(email, landed)
          this.#land(email)
        }
      } catch (error) {
        this.#log.warn({ error }, 'what is under way could not be looked up; it is tried again')
        await sleep(LOOK_AGAIN_AFTER_FAILURE_MS, undefined, { ref: false })
      }
    }
    this.#isWatching = false
  }

  /** What another process has learned of the server, as far as the attempt tells it. */
  #tellLanes({ mailboxId }: ClaimedEmail, { outcome, scope, code }: Landed): void {
    const isRefused = (outcome === 'RETRY' || outcome === 'REJECTED') && scope !== 'mailbox'
    if (outcome === 'ACCEPTED' || isRefused) this.#lanes.answered(mailboxId)
    else if (outcome === 'UNKNOWN' && code !== 'LEASE_EXPIRED') this.#lanes.failed(mailboxId)
  }

  #land(email: ClaimedEmail): void {
    this.#emails.delete(email.id)
    this.#lanes.landed(email.mailboxId, 1)
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
