import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ActionMeans } from '#lib/actions/run/tell-member.ts'
import type { HasherIn } from '#lib/audience/address-hash.ts'
import { ConnectionKeeper } from '#lib/delivery/connections.ts'
import { deliver } from '#lib/delivery/deliver.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { gatherEvidence } from '#lib/delivery/evidence.ts'
import { InFlight } from '#lib/delivery/in-flight.ts'
import { Lanes } from '#lib/delivery/lanes.ts'
import { Permits } from '#lib/delivery/permits.ts'
import type { PrepareContents } from '#lib/delivery/prepare.ts'
import { NOTHING_SENT, type SendingCounts } from '#lib/delivery/sending-counts.ts'
import { Settling } from '#lib/delivery/settling.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { hasGoneBack } from '#lib/email-scheduler/send/moment.ts'
import { lookForNextDue } from '#lib/email-scheduler/send/next-due.ts'
import type { TimeLeft } from '#lib/mail/deadline.ts'
import { openMailbox, type Providers } from '#lib/mail/provider.ts'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import type { Log } from '#lib/platform/log.ts'
import type { Acting } from './acting.ts'
import { CONTENDED_MS, LOOK_AGAIN_MS_MAX, Resting } from './resting.ts'
import type { SendingLimits } from './sending-limits.ts'
import { untilOpen } from './until-open.ts'
import { watchServer } from './watch-server.ts'

export type SendingMeans = { providers: Providers; prepare: PrepareContents; hasherIn: HasherIn }

const NEW_WORK_MS = 1_000

/** Until when to claim, and whether something may still become due that is not in the queue yet. */
export type Claiming = {
  time: TimeLeft
  /** Aborted: nothing more is claimed. */
  signal?: AbortSignal | undefined
  /** Asked when nothing is due: resolves once more may be known, and false where nothing comes any more. */
  mayMoreCome?: (() => Promise<boolean>) | undefined
}

/** What a tick sends with, whatever stands between finding and sending. */
export type Sending = {
  /** Since the counts were taken last. */
  readonly hasClaimed: boolean
  /** What was done since this was asked last. */
  takeCounts(): SendingCounts
  /** Claims until the time is over or nothing more will be due in it. What is in flight then goes on. */
  claimDue(claiming: Claiming): Promise<void>
  /** Asks providers what became of emails whose outcome is unknown. Answers how many that settled. */
  gatherEvidence(): Promise<number>
  /** Waits for what is in flight, and closes the connections. */
  drain(): Promise<void>
  /** What carries out actions, where they go the same way; else the tick does it by itself. */
  acting?(means: ActionMeans): Acting
}

/**
 * Sends what is due. One lives as long as its process wants: its connections, and what it has learned of servers, are
 * kept from one stretch of claiming to the next. Time is counted by durations only, and moments by the database's clock:
 * this machine's may be wrong.
 */
export class Sender implements Sending {
  readonly #pool: pg.Pool
  readonly #worker: string
  readonly #limits: SendingLimits
  readonly #delivery: Delivery
  readonly #resting = new Resting()
  readonly #inFlight = new InFlight()
  readonly #lanes: Lanes
  readonly #providers: Providers

  constructor(pool: pg.Pool, worker: string, log: Log, means: SendingMeans, limits: SendingLimits) {
    this.#pool = pool
    this.#worker = worker
    this.#limits = limits
    this.#providers = means.providers
    this.#lanes = new Lanes(limits.connections)
    this.#delivery = {
      pool,
      log,
      keeper: new ConnectionKeeper((mailbox) => openMailbox(means.providers, mailbox)),
      prepare: means.prepare,
      marks: new AskedTogether(),
      settling: new Settling(pool, log, means.hasherIn),
      submitMsMax: limits.submitMsMax,
      counts: { ...NOTHING_SENT },
      permits: new Permits(limits.connections),
      lanes: this.#lanes,
      beginning: limits.beginning,
    }
  }

  /** Since the counts were taken last. */
  get hasClaimed(): boolean {
    return this.#delivery.counts.due > 0
  }

  /** What was done since this was asked last. */
  takeCounts(): SendingCounts {
    const { counts } = this.#delivery
    const taken = { ...counts }
    Object.assign(counts, NOTHING_SENT)
    return taken
  }

  /**
   * Claims until the time is over or nothing more will be due in it, sleeping in between: so the pauses between a
   * mailbox's emails are real seconds, and not bursts at each tick. What is in flight then goes on.
   */
  async claimDue({ time, signal, mayMoreCome = async () => false }: Claiming): Promise<void> {
    if (this.#inFlight.emails === 0 && !(await this.#isWorthBeginning(time, mayMoreCome))) return
    while (!signal?.aborted && time.leftMs() > 0) {
      const { openings } = this.#lanes
      const { except, only, isAll } = this.#lanes.closed()
      if (isAll) {
        await this.#inFlight.next()
        continue
      }
      try {
        const resting = this.#resting.ids()
        const claim = await claimNext(
          this.#pool,
          { worker: this.#worker, leaseMs: this.#limits.leaseMs },
          (mailboxId) => this.#lanes.room(mailboxId),
          { except: [...resting, ...except], only },
        )
        if (claim.kind === 'claimed') {
          this.#start(claim)
          continue
        }
        if (claim.kind === 'resting') {
          this.#resting.add(claim.mailboxId, claim.ms)
          continue
        }
        const next = await lookForNextDue(this.#pool, [...resting, ...except])
        // Before the next tick says so: a worker that was started later knows of nothing and would go on sending.
        if (next.hasGoneBack && (await hasGoneBack(this.#pool))) await watchServer(this.#pool, this.#delivery.log, true)
        const waitMs = this.#resting.soonest(next.ms)
        if (this.#inFlight.emails > 0) {
          // What is in flight may make its follow-up due, or free its mailbox.
          const ms = Math.max(CONTENDED_MS, Math.min(waitMs ?? NEW_WORK_MS, NEW_WORK_MS))
          await untilOpen(this.#lanes, openings, () => this.#inFlight.next(), pause(ms, signal))
          continue
        }
        // What this claim had to leave out has landed since: the next one is for all, and does not wait.
        if (except.length > 0 || only !== null) continue
        if (waitMs !== null && waitMs <= time.leftMs()) {
          // What is due and could not be claimed is in another worker's hands at the moment.
          await pause(Math.max(CONTENDED_MS, Math.min(waitMs, LOOK_AGAIN_MS_MAX)), signal)
        } else if (!(await mayMoreCome())) break
      } catch (error) {
        // The database is restarting, say: what is in flight goes on, and claiming as soon as it answers again.
        this.#delivery.log.warn({ error }, 'claiming failed; it is tried again')
        await pause(NEW_WORK_MS, signal)
      }
    }
  }

  /** Asks providers what became of emails whose outcome is unknown. Answers how many that settled. */
  gatherEvidence(): Promise<number> {
    return gatherEvidence(this.#delivery, this.#providers)
  }

  /** Waits for what is in flight, and closes the connections. */
  async drain(): Promise<void> {
    await this.#inFlight.all()
    this.#delivery.keeper.closeAll()
  }

  #start({ mailbox, emails }: Extract<Awaited<ReturnType<typeof claimNext>>, { kind: 'claimed' }>): void {
    this.#delivery.counts.due += emails.length
    this.#lanes.claimed(mailbox.id, emails.length)
    this.#inFlight.add(
      emails.length,
      (landed) => deliver(this.#delivery, mailbox, emails, landed),
      (count) => this.#lanes.landed(mailbox.id, count),
    )
  }

  /** A tick with nothing to send asks one question. */
  async #isWorthBeginning(time: TimeLeft, mayMoreCome: () => Promise<boolean>): Promise<boolean> {
    const { ms } = await lookForNextDue(this.#pool, [])
    return (ms !== null && ms <= time.leftMs()) || mayMoreCome()
  }
}

/** One stretch of sending to its end. */
export async function sendDue(
  pool: pg.Pool,
  worker: string,
  log: Log,
  means: SendingMeans,
  limits: SendingLimits & Claiming,
): Promise<SendingCounts> {
  const sender = new Sender(pool, worker, log, means, limits)
  try {
    await sender.claimDue(limits)
  } finally {
    await sender.drain()
  }
  return sender.takeCounts()
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
