import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { HasherIn } from '#lib/audience/address-hash.ts'
import { isRefusal } from '#lib/email-scheduler/outcome.ts'
import { handleEmailFailure } from '#lib/email-scheduler/send/handle-failure.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import type { SettleAnswer, Settlement } from '#lib/email-scheduler/send/settlement.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { onFreshConnection } from '#lib/platform/fresh-connection.ts'
import type { Log } from '#lib/platform/log.ts'

const FIRST_PAUSE_MS = 50
const PAUSE_MS_MAX = 5_000
/** A settlement whose own values Postgres refuses so often will not go in: recovery makes it unknown, and the log says why. */
const REFUSALS_MAX = 8

type Pending = { settlement: Settlement; done: (answer: SettleAnswer | undefined) => void }

/**
 * What waits for other locks waits by itself: a bounce waits for every mark of its workspace, a refusal for a
 * change of its campaign, and neither may hold up the others, which need nothing but their own rows.
 */
type Lane = { pending: Pending[]; isWriting: boolean }

/**
 * Writes down what became of attempts, as many together as have come in while the last ones were being written. Repeated
 * until it commits, even past the lease: what a provider said must not be lost.
 */
export class Settling {
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #hasherIn: HasherIn
  readonly #lanes: Record<'plain' | 'refused' | 'bounced', Lane> = {
    plain: { pending: [], isWriting: false },
    refused: { pending: [], isWriting: false },
    bounced: { pending: [], isWriting: false },
  }

  constructor(pool: pg.Pool, log: Log, hasherIn: HasherIn) {
    this.#pool = pool
    this.#log = log
    this.#hasherIn = hasherIn
  }

  /** Resolves once it is committed; undefined where Postgres refused it for good. */
  add(settlement: Settlement): Promise<SettleAnswer | undefined> {
    const lane = this.#lanes[laneOf(settlement)]
    return new Promise((done) => {
      lane.pending.push({ settlement, done })
      if (!lane.isWriting) void this.#write(lane)
    })
  }

  async #write(lane: Lane): Promise<void> {
    lane.isWriting = true
    // What settles in the same turn of the event loop is written together.
    await nextTurn()
    while (lane.pending.length > 0) {
      const batch = lane.pending
      lane.pending = []
      try {
        answer(batch, await inTransaction(this.#pool, (tx) => this.#settleAll(tx, batch)))
      } catch (error) {
        // Each by itself, and nothing waits for it: one that cannot be written must not hold the others up.
        this.#log.warn({ error, count: batch.length }, 'settling failed; each is tried again by itself')
        for (const one of batch) void this.#commitAlone(one, isOfTheConnection(error))
      }
    }
    lane.isWriting = false
  }

  #settleAll(tx: pg.ClientBase, batch: readonly Pending[]): Promise<SettleAnswer[]> {
    return settle(
      tx,
      batch.map(({ settlement }) => settlement),
      this.#hasherIn,
    )
  }

  async #commitAlone(one: Pending, mustBeFresh: boolean): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    let refusals = 0
    let isFresh = mustBeFresh
    for (;;) {
      try {
        const run = isFresh ? onFreshConnection : inTransaction
        return answer([one], await run(this.#pool, (tx) => this.#settleAll(tx, [one])))
      } catch (error) {
        const { id, leaseToken, outcome } = one.settlement
        if (isOfTheConnection(error)) isFresh = true
        else if (isOfTheValues(error)) refusals += 1
        this.#log.warn({ error, emailId: id, leaseToken, refusals }, 'settling is tried again')
        if (refusals >= REFUSALS_MAX) {
          this.#log.error({ error, emailId: id, leaseToken, outcome: outcome.kind }, 'an outcome could not be settled')
          return one.done(undefined)
        }
      }
      await sleep(pauseMs)
      pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)
    }
  }
}

function laneOf({ outcome }: Settlement): 'plain' | 'refused' | 'bounced' {
  if (!isRefusal(outcome)) return 'plain'
  return handleEmailFailure(outcome).suppressRecipient ? 'bounced' : 'refused'
}

function answer(batch: readonly Pending[], answers: readonly SettleAnswer[]): void {
  batch.forEach(({ done }, index) => {
    done(answers[index])
  })
}

/**
 * Postgres refuses what this connection has prepared, and would refuse it every time: a pooler has put another server
 * behind it (42P05, 26000), or a migration has changed what a plan was made for (0A000). The settlement is well.
 */
function isOfTheConnection(error: unknown): boolean {
  return ['42P05', '26000', '0A000'].includes(codeOf(error))
}

/** The values themselves are at fault, not the connection, a deadlock or a server that is restarting. */
function isOfTheValues(error: unknown): boolean {
  return /^(22|23|42)/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
