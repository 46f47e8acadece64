import type pg from 'pg'
import type { Log } from '#lib/platform/log.ts'
import type { WalkName } from '../doctor/walks.ts'
import { findingsToSeeAgain, forgetFindings, type KeptFinding, keepFindings } from './findings.ts'
import { endLook, takeLook } from './lease.ts'
import { nextRows, ofInstallation, type StepAnswer, sameRows } from './step.ts'
import { readWalks, type WalkState, writeWalk } from './walk-state.ts'

/** Looks follow each other at this distance, however many workers there are and however often they tick. */
const LOOK_EVERY_MS = 15_000
/** Of the time that passes, looking takes at most this share: half a million rows an hour where a row takes a tenth of a millisecond. */
const SHARE_OF_TIME = 0.02
const BUDGET_MS_MIN = 100
/** Where ticks come every five minutes, one of them looks for this long. */
const BUDGET_MS_MAX = 6_000
/** What one statement is to take: nobody waits for it, and it holds no lock that anybody wants. */
const STEP_MS = 12
/** Fewer would be planned for longer than they are looked at. */
const ROWS_AT_ONCE = [50, 5_000] as const
/** A small queue is not gone through again and again. */
const ROUND_EVERY_MS = 30_000
/** What cannot be read is not tried at every look: it may have taken long to fail. */
const AFTER_TROUBLE_MS = 600_000

/** `found`: what was not known before. */
export type LookDone = { rows: number; steps: number; found: number; cured: number }

const watches = new WeakMap<pg.Pool, PromiseWatch>()

type Walking = Awaited<ReturnType<typeof readWalks>>[number] & {
  endedRows: number | null
  hasBegun: boolean
  isDirty: boolean
}

const NOT_LOOKED_AT = { endedRows: null, hasBegun: false, isDirty: false }

/**
 * Goes through everything that the doctor asks, a few milliseconds at a time and for ever, so that a broken promise is
 * seen within a day in a queue of ten million, and within a minute in an ordinary one. Reads without any lock; one worker
 * at a time does it, whichever ticks first.
 */
export class PromiseWatch {
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #everyMs: number
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(pool: pg.Pool, log: Log, { everyMs = LOOK_EVERY_MS }: { everyMs?: number } = {}) {
    this.#pool = pool
    this.#log = log
    this.#everyMs = everyMs
  }

  /** The one of this process, which remembers when it looked last. */
  static of(pool: pg.Pool, log: Log): PromiseWatch {
    const known = watches.get(pool) ?? new PromiseWatch(pool, log)
    watches.set(pool, known)
    return known
  }

  /** Undefined where it was not the time, or another worker's turn. Never fails the tick beside which it runs. */
  async lookIfTime(mayContinue: () => boolean): Promise<LookDone | undefined> {
    // Remembered here as well, so that most ticks ask nothing at all.
    if (performance.now() - this.#askedMs < this.#everyMs) return undefined
    this.#askedMs = performance.now()
    try {
      const lease = await takeLook(this.#pool, this.#everyMs)
      if (!lease) return undefined
      const budgetMs = Math.min(BUDGET_MS_MAX, Math.max(BUDGET_MS_MIN, (lease.sinceMs ?? 0) * SHARE_OF_TIME))
      const done = await this.#look(lease.token, budgetMs, mayContinue)
      await endLook(this.#pool, lease.token)
      if (done.found > 0)
        this.#log.error({ ...done }, 'the promise does not hold: see /admin/promise, or npm run doctor')
      return done
    } catch (error) {
      this.#log.error({ error }, 'looking whether the promise holds failed')
      return undefined
    }
  }

  async #look(token: number, budgetMs: number, mayContinue: () => boolean): Promise<LookDone> {
    const began = performance.now()
    const isTime = () => performance.now() - began < budgetMs && mayContinue()
    const done: LookDone = { rows: 0, steps: 0, found: 0, cured: 0 }
    const walks: Walking[] = (await readWalks(this.#pool)).map((walk) => ({ ...walk, ...NOT_LOOKED_AT }))
    const troubled = new Set(
      walks.filter(({ sinceTroubleMs: ms }) => ms !== null && ms < AFTER_TROUBLE_MS).map(({ walk }) => walk),
    )
    done.cured = await this.#seeAgain(troubled)
    // In turns, so that none waits for the end of a long one.
    let open = walks.filter((one) => !troubled.has(one.walk) && mayBegin(one))
    while (open.length > 0 && isTime()) {
      for (const walk of open) {
        if (!isTime()) break
        await this.#step(walk, done)
      }
      open = open.filter(({ endedRows, trouble }) => endedRows === null && trouble === null)
    }
    for (const walk of walks.filter(({ isDirty }) => isDirty)) if (!(await writeWalk(this.#pool, token, walk))) break
    return done
  }

  async #step(walk: Walking, done: LookDone): Promise<void> {
    const began = performance.now()
    walk.isDirty = true
    try {
      const { rows, last, found } = await this.#ask(walk)
      done.found += await keepFindings(this.#pool, walk.walk, found)
      done.steps += 1
      done.rows += rows
      const isFirst = walk.cursor === null
      walk.hasBegun ||= isFirst
      walk.trouble = null
      walk.roundRows = (isFirst ? 0 : walk.roundRows) + rows
      const isEnd = walk.walk === 'installation' || rows < walk.rowsAtOnce
      walk.cursor = isEnd ? null : last
      if (isEnd) walk.endedRows = walk.roundRows
      else walk.rowsAtOnce = paced(walk.rowsAtOnce, performance.now() - began)
    } catch (error) {
      this.#log.error({ error, walk: walk.walk }, 'a part of looking whether the promise holds failed')
      walk.trouble = error instanceof Error ? error.message : String(error)
      walk.rowsAtOnce = ROWS_AT_ONCE[0]
    }
  }

  async #ask({ walk, cursor, rowsAtOnce }: WalkState): Promise<StepAnswer> {
    const { text, values } = walk === 'installation' ? ofInstallation() : nextRows(walk, cursor, rowsAtOnce)
    const { rows } = await this.#pool.query<StepAnswer>(text, values)
    return rows[0] ?? { rows: 0, last: null, found: [] }
  }

  /** What was found before, each look: a cure is seen at once, and not when the next round comes by. */
  async #seeAgain(troubled: ReadonlySet<WalkName>): Promise<number> {
    const cured: KeptFinding[] = []
    const kept = Map.groupBy(await findingsToSeeAgain(this.#pool), ({ walk }) => walk)
    for (const [walk, findings] of kept) {
      // What is asked of the installation is asked in every look anyway.
      if (troubled.has(walk)) continue
      const keys = [...new Set(findings.map(({ key }) => key))]
      const { text, values } = walk === 'installation' ? ofInstallation() : sameRows(walk, keys)
      const { rows } = await this.#pool.query<StepAnswer>(text, values)
      const found = rows[0]?.found ?? []
      const offends = new Set(found.map(({ invariant, key }) => `${invariant} ${key}`))
      const isCured = ({ invariant, key }: KeptFinding) => !offends.has(`${invariant} ${key}`)
      await forgetFindings(this.#pool, findings.filter(isCured))
      await keepFindings(this.#pool, walk, found)
      cured.push(...findings.filter(isCured))
    }
    return cured.length
  }
}

function mayBegin({ cursor, sinceEndedMs }: Walking): boolean {
  return cursor !== null || sinceEndedMs === null || sinceEndedMs >= ROUND_EVERY_MS || sinceEndedMs < 0
}

/** As many rows as take a step's time, approached within a factor of two. */
function paced(rows: number, tookMs: number): number {
  const [min, max] = ROWS_AT_ONCE
  const factor = Math.min(2, Math.max(0.5, STEP_MS / Math.max(tookMs, 0.1)))
  return Math.round(Math.min(max, Math.max(min, rows * factor)))
}
