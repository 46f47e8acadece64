import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from '#lib/email-scheduler/lease.ts'
import type { Log } from '#lib/platform/log.ts'

/** What this process lands itself is known at once; of the rest, Postgres is asked this often. */
const LOOK_MS = 100
const LOOK_AGAIN_AFTER_FAILURE_MS = 1_000

/** `T` is what is under way, `L` what is known of it when it has landed. */
export type Watched<T extends Lease, L extends Lease> = {
  /** Of these claims, those that have come to their end, in any process. */
  look(claims: readonly T[]): Promise<L[]>
  left?(claim: T): void
  /** Another process has brought it to its end. */
  landedElsewhere?(claim: T, landed: L): void
  landed?(claim: T): void
}

/**
 * What this process has published and nobody has brought to its end yet, wherever that happens: by it is known how much
 * more may be claimed, so that what is in a broker, and this list, stay as small as what can soon be done.
 */
export class UnderWay<T extends Lease, L extends Lease = Lease> {
  readonly #log: Log
  readonly #watched: Watched<T, L>
  readonly #claims = new Map<string, T>()
  #waiting: (() => void)[] = []
  #isWatching = false
  #isStopped = false

  constructor(log: Log, watched: Watched<T, L>) {
    this.#log = log
    this.#watched = watched
  }

  get count(): number {
    return this.#claims.size
  }

  add(claims: readonly T[]): void {
    for (const claim of claims) {
      // Claimed again before it was seen that an earlier claim of it had ended: its place is free by that.
      const earlier = this.#claims.get(claim.id)
      if (earlier) this.#land(earlier)
      this.#claims.set(claim.id, claim)
      this.#watched.left?.(claim)
    }
    if (!this.#isWatching && this.count > 0) void this.#watch()
  }

  /** This process has come to the end of an attempt; what else has to hear of it was told there. */
  landedHere({ id, leaseToken }: Lease): void {
    const claim = this.#claims.get(id)
    if (claim?.leaseToken === leaseToken) this.#land(claim)
  }

  next(): Promise<void> {
    return new Promise((wake) => this.#waiting.push(wake))
  }

  /** Nothing is asked any more, and nobody waits. Answers what nobody was known to have brought to its end. */
  stop(): T[] {
    this.#isStopped = true
    this.#wake()
    return [...this.#claims.values()]
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    while (this.count > 0 && !this.#isStopped) {
      await sleep(LOOK_MS, undefined, { ref: false })
      try {
        for (const landed of await this.#watched.look([...this.#claims.values()])) {
          const claim = this.#claims.get(landed.id)
          if (claim?.leaseToken !== landed.leaseToken) continue
          this.#watched.landedElsewhere?.(claim, landed)
          this.#land(claim)
        }
      } catch (error) {
        this.#log.warn({ error }, 'what is under way could not be looked up; it is tried again')
        await sleep(LOOK_AGAIN_AFTER_FAILURE_MS, undefined, { ref: false })
      }
    }
    this.#isWatching = false
  }

  #land(claim: T): void {
    this.#claims.delete(claim.id)
    this.#watched.landed?.(claim)
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
