import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { claimNext } from '#lib/email-scheduler/claim-next.ts'
import { msUntilNextDue } from '#lib/email-scheduler/next-due.ts'
import type { Log } from '#lib/platform/log.ts'
import { ConnectionKeeper, type OpenTransport } from './connections.ts'
import { type Delivery, deliver } from './deliver.ts'
import { Permits } from './permits.ts'
import type { PrepareContents } from './prepare.ts'
import { Settling } from './settling.ts'

export type SendingMeans = { openTransport: OpenTransport; prepare: PrepareContents }

export type SendingLimits = {
  /** How many emails may be marked and not settled at once: after a crash, so many at most are unknown. */
  connections: number
  leaseMs: number
  submitMsMax: number
  /** How long emails are claimed; what is in flight then is still brought to its end. */
  claimMsMax: number
  /** How long a hand-over may begin: what was claimed ahead and still waits for a connection then goes back as it was. */
  beginMsMax?: number
  /** Aborted: nothing more is claimed. */
  signal?: AbortSignal
}

export type SendingCounts = {
  /** Claimed. */
  due: number
  sent: number
  /** Attempts that were definitely refused: of them `retried` are tried again, and `dead` wait for a person. */
  failed: number
  retried: number
  dead: number
  unknown: number
  /** Given back without an attempt. */
  released: number
  cancelled: number
}

export const NOTHING_SENT: SendingCounts = {
  due: 0,
  sent: 0,
  failed: 0,
  retried: 0,
  dead: 0,
  unknown: 0,
  released: 0,
  cancelled: 0,
}

/** With connecting and handing over, it still fits in what sendingLimits() keeps free at the end. */
const BEGIN_LATER_MS = 5_000
const LOOK_AGAIN_MS_MAX = 15_000
const NEW_WORK_MS = 1_000
/** Another worker took the lock or the place a moment ago. */
const CONTENDED_MS = 100

/**
 * Sends what is due until the time is over or nothing more will be due in it, sleeping in between: so the pauses between
 * a mailbox's emails are real seconds, and not bursts at each tick. Time is counted by durations only, and moments
 * by the database's clock: this machine's may be wrong.
 */
export async function sendDue(
  pool: pg.Pool,
  worker: string,
  log: Log,
  means: SendingMeans,
  limits: SendingLimits,
): Promise<SendingCounts> {
  const { connections, leaseMs, submitMsMax, claimMsMax, beginMsMax = claimMsMax + BEGIN_LATER_MS, signal } = limits
  const counts = { ...NOTHING_SENT }
  const started = performance.now()
  const msLeft = () => claimMsMax - (performance.now() - started)
  const mayBegin = () => performance.now() - started < beginMsMax
  const keeper = new ConnectionKeeper(means.openTransport)
  const delivery: Delivery = {
    pool,
    log,
    keeper,
    prepare: means.prepare,
    settling: new Settling(pool, log),
    submitMsMax,
    counts,
    permits: new Permits(connections),
    mayBegin,
  }
  const resting = new Resting()
  const inFlight = new InFlight()
  if (!(await isWorthBeginning(pool, msLeft()))) return counts
  try {
    while (!signal?.aborted && msLeft() > 0) {
      // As many again are claimed and made ready while the connections are busy: each waits for one that is about to be free.
      const free = Math.min(connections, 2 * connections - inFlight.emails)
      if (free < Math.ceil(connections / 2)) {
        await inFlight.next()
        continue
      }
      try {
        const claim = await claimNext(pool, { worker, leaseMs }, free, resting.ids())
        if (claim.kind === 'claimed') {
          counts.due += claim.emails.length
          inFlight.add(claim.emails.length, (landed) => deliver(delivery, claim.mailbox, claim.emails, landed))
          continue
        }
        if (claim.kind === 'resting') {
          resting.add(claim.mailboxId, claim.ms)
          continue
        }
        const waitMs = resting.soonest(await msUntilNextDue(pool, resting.ids()))
        if (inFlight.emails > 0) {
          // What is in flight may make its follow-up due, or free its mailbox.
          await Promise.race([inFlight.next(), pause(Math.min(waitMs ?? NEW_WORK_MS, NEW_WORK_MS), signal)])
        } else {
          if (waitMs === null || waitMs > msLeft()) break
          // What is due and could not be claimed is somebody else's at the moment.
          await pause(Math.max(CONTENDED_MS, Math.min(waitMs, LOOK_AGAIN_MS_MAX)), signal)
        }
      } catch (error) {
        // The database is restarting, say: what is in flight goes on, and claiming as soon as it answers again.
        log.warn({ error }, 'claiming failed; it is tried again')
        await pause(NEW_WORK_MS, signal)
      }
    }
  } finally {
    await inFlight.all()
    keeper.closeAll()
  }
  return counts
}

/** A tick with nothing to send asks one question. */
async function isWorthBeginning(pool: pg.Pool, msLeft: number): Promise<boolean> {
  const waitMs = await msUntilNextDue(pool, [])
  return waitMs !== null && waitMs <= msLeft
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** Mailboxes that were looked at in vain a moment ago. Forgotten soon: settings and quotas change. */
class Resting {
  readonly #until = new Map<string, { lookAgainMs: number; dueMs: number | null }>()

  add(mailboxId: string, ms: number | null): void {
    const now = performance.now()
    const restMs = Math.max(CONTENDED_MS, Math.min(ms ?? LOOK_AGAIN_MS_MAX, LOOK_AGAIN_MS_MAX))
    this.#until.set(mailboxId, {
      lookAgainMs: now + restMs,
      dueMs: ms === null ? null : now + Math.max(CONTENDED_MS, ms),
    })
  }

  ids(): string[] {
    const now = performance.now()
    for (const [id, { lookAgainMs }] of this.#until) if (lookAgainMs <= now) this.#until.delete(id)
    return [...this.#until.keys()]
  }

  /** The sooner of the given wait and the first of the resting that may go on. */
  soonest(ms: number | null): number | null {
    const now = performance.now()
    const waits = [...this.#until.values()].flatMap(({ dueMs }) => (dueMs === null ? [] : [Math.max(0, dueMs - now)]))
    if (ms !== null) waits.push(Math.max(0, ms))
    return waits.length === 0 ? null : Math.min(...waits)
  }
}

/** Counts emails on their way, and wakes whoever waits for the next one to land. */
class InFlight {
  emails = 0
  #waiting: (() => void)[] = []
  readonly #batches = new Set<Promise<void>>()

  /** `work` says of each email that it has landed. */
  add(emails: number, work: (landed: (count: number) => void) => Promise<void>): void {
    this.emails += emails
    let flying = emails
    const landed = (count: number) => {
      flying -= count
      this.emails -= count
      const waiting = this.#waiting
      this.#waiting = []
      for (const wake of waiting) wake()
    }
    const batch = work(landed).finally(() => {
      this.#batches.delete(batch)
      landed(flying)
    })
    this.#batches.add(batch)
    // Its error is thrown to whoever waits for all.
    batch.catch(() => undefined)
  }

  next(): Promise<void> {
    return new Promise((wake) => this.#waiting.push(wake))
  }

  async all(): Promise<void> {
    await Promise.all(this.#batches)
  }
}
