import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type SettleAnswer, type Settlement, settle } from '#lib/email-scheduler/settle.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'

const FIRST_PAUSE_MS = 50
const PAUSE_MS_MAX = 5_000
/** A settlement that Postgres itself refuses so often will not go in: recovery makes it unknown, and the log says why. */
const REFUSALS_MAX = 8

type Pending = { settlement: Settlement; done: (answer: SettleAnswer | undefined) => void }

/**
 * Writes down what became of attempts, as many together as have come in while the last ones were being written. Repeated
 * until it commits, even past the lease: what a provider said must not be lost.
 */
export class Settling {
  readonly #pool: pg.Pool
  readonly #log: Log
  #pending: Pending[] = []
  #writing = false

  constructor(pool: pg.Pool, log: Log) {
    this.#pool = pool
    this.#log = log
  }

  /** Resolves once it is committed; undefined where Postgres refused it for good. */
  add(settlement: Settlement): Promise<SettleAnswer | undefined> {
    return new Promise((done) => {
      this.#pending.push({ settlement, done })
      if (!this.#writing) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#writing = true
    // What settles in the same turn of the event loop is written together.
    await nextTurn()
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      try {
        await this.#commit(batch)
      } catch (error) {
        // Each by itself, and nobody waits for it: one that cannot be written must not hold the others up.
        this.#log.warn({ error, count: batch.length }, 'settling failed; each is tried again by itself')
        for (const one of batch) void this.#commitAlone(one)
      }
    }
    this.#writing = false
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    const answers = await inTransaction(this.#pool, (tx) =>
      settle(
        tx,
        batch.map(({ settlement }) => settlement),
      ),
    )
    batch.forEach(({ done }, index) => {
      done(answers[index])
    })
  }

  async #commitAlone(one: Pending): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    let refusals = 0
    for (;;) {
      try {
        return await this.#commit([one])
      } catch (error) {
        const { id, leaseToken } = one.settlement
        if (isRefusedByPostgres(error)) refusals += 1
        this.#log.warn({ error, emailId: id, leaseToken, refusals }, 'settling is tried again')
        if (refusals >= REFUSALS_MAX) {
          this.#log.error(
            { error, emailId: id, leaseToken, outcome: one.settlement.outcome.kind },
            'an outcome could not be settled',
          )
          return one.done(undefined)
        }
      }
      await sleep(pauseMs)
      pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)
    }
  }
}

/** The statement itself is at fault, not the connection, a deadlock or a server that is restarting. */
function isRefusedByPostgres(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return /^(22|23|42)/.test(code)
}
