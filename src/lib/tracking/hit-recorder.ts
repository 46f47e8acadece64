import { LRUCache } from 'lru-cache'
import type { Sql } from '#lib/platform/database.ts'
import { log } from '#lib/platform/log.ts'
import { eventKeyOf, recordHit, SAME_LOOK_SECONDS } from './record-hit.ts'
import type { TrackedLink } from './tracking-link.ts'

/** More at a time would take the connections that the rest of the product works on. */
const AT_ONCE_MAX = 3
const WAITING_MAX = 1_000

/**
 * Writes hits down behind the answers, a few at a time; one that is asked for again and again costs nothing. What comes faster than they can be written is left out: a reader
 * gets where they want to go in any case, and nobody is slowed down by a flood.
 */
export class HitRecorder {
  readonly #sql: Sql
  readonly #seen = new LRUCache<string, true>({ max: 20_000, ttl: SAME_LOOK_SECONDS * 1000 })
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async record(hit: TrackedLink): Promise<void> {
    const key = eventKeyOf(hit)
    if (this.#seen.has(key) || this.#waiting.length >= WAITING_MAX) return
    this.#seen.set(key, true)
    if (this.#running >= AT_ONCE_MAX) await new Promise<void>((go) => this.#waiting.push(go))
    else this.#running += 1
    try {
      await recordHit(this.#sql, hit)
    } catch (error) {
      this.#seen.delete(key)
      log.warn({ error }, 'a hit on a tracked link was not written down')
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
