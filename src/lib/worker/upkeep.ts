import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { takeBackActions } from '#lib/actions/run/run-actions.ts'
import { sweepIfTime } from '#lib/actions/run/sweep.ts'
import { addUpPeople } from '#lib/audience/add-up-people.ts'
import { campaignsWithBlocked, recheckBlocked } from '#lib/campaigns/blocked.ts'
import {
  campaignsWithOpenEnrolments,
  closeFinished,
  finishEnrolments,
  type OpenCampaign,
  wakeCampaigns,
} from '#lib/campaigns/finish.ts'
import { clearStopped } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { planRoundRobin } from '#lib/email-scheduler/plan/round-robin.ts'
import { addUpCounts } from '#lib/email-scheduler/queue/add-up-counts.ts'
import { readTrackedEmails } from '#lib/email-scheduler/read/tracked-emails.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { advanceBulk } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import type { TimeLeft } from '#lib/mail/deadline.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { ADDED_AT_ONCE } from '#lib/platform/rows/kept-counts.ts'
import { judgeHits } from '#lib/tracking/judge-hits.ts'
import type { Acting } from './acting.ts'
import type { TickStart } from './heartbeat.ts'
import type { TickSummary } from './tick-summary.ts'

export type UpkeepDone = Pick<
  TickSummary,
  | 'recovered'
  | 'campaignsStarted'
  | 'campaignsReopened'
  | 'actionsDone'
  | 'actionsMended'
  | 'campaignsClosed'
  | 'enrolmentsFreed'
  | 'enrolmentsFinished'
  | 'emailsScheduled'
  | 'emailsAppended'
  | 'emailsReplanned'
  | 'emailsCancelled'
  | 'emailsProven'
  | 'emailsInBulks'
  | 'eventsTracked'
  | 'planningErrors'
  | 'planningUnfinished'
>

/** What begins at a time begins at most this much later while a tick runs. */
const ROUND_MS = 2_000
/** What is dear to look for, and what was found impossible, is looked at again after this much. */
const SLOW_ROUND_MS = 15_000
/** Whatever else may come: the queue is looked at again, since people put emails into it as well. */
const LOOK_AGAIN_MS = 5_000
const RECOVERED_AT_ONCE = 200

/** Asked with the heartbeat, so that a tick with nothing to do asks nothing else about it. */
type FoundAtStart = Pick<TickStart, 'hasExpiredLeases' | 'hasOpenBulks' | 'hasCountChanges' | 'hasHits'>

type Chore = 'begin' | 'judge' | 'act' | 'plan' | 'clear' | 'bulk' | 'count' | 'ask' | 'finish'

/** Everything of a tick but sending. Beside it: neither waits for the other, nor a start for the planning of another. */
export class Upkeep {
  readonly done: UpkeepDone = {
    recovered: 0,
    campaignsStarted: 0,
    campaignsReopened: 0,
    actionsDone: 0,
    actionsMended: 0,
    campaignsClosed: 0,
    enrolmentsFreed: 0,
    enrolmentsFinished: 0,
    emailsScheduled: 0,
    emailsAppended: 0,
    emailsReplanned: 0,
    emailsCancelled: 0,
    emailsProven: 0,
    emailsInBulks: 0,
    eventsTracked: 0,
    planningErrors: [],
    planningUnfinished: false,
  }
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #time: TimeLeft
  readonly #gatherEvidence: () => Promise<number>
  readonly #running = new Map<Chore, Promise<void>>()
  readonly #endedMs = new Map<Chore | 'free', number>()
  /** What failed and has not gone well since. */
  readonly #failed = new Map<Chore, unknown>()
  #open: OpenCampaign[] = []
  #isBegun = false
  #nextStartMs: number | null = null
  #nextActionMs: number | null = null
  readonly #acting: Acting
  #changes = 0
  #waiting: (() => void)[] = []

  /** `gatherEvidence` asks providers about what is unknown, within what sending may use of them. */
  constructor(pool: pg.Pool, log: Log, time: TimeLeft, gatherEvidence: () => Promise<number>, acting: Acting) {
    this.#acting = acting
    this.#pool = pool
    this.#log = log
    this.#time = time
    this.#gatherEvidence = gatherEvidence
  }

  get hasDone(): boolean {
    return Object.values(this.done).some((count) => typeof count === 'number' && count > 0)
  }

  /** One round of everything, one after the other: for a tick that does not send. */
  async once({ hasExpiredLeases, hasOpenBulks, hasCountChanges, hasHits }: FoundAtStart): Promise<void> {
    if (hasHits) await this.#judge()
    await this.#beginWhatIsTime(hasExpiredLeases)
    if (this.#isActionDue()) await this.#act()
    await this.#clear()
    if (hasOpenBulks) await this.#goOnWithBulks()
    await this.#plan()
    await this.#finish()
    if (hasCountChanges) await this.#addUpCounts()
  }

  /** Round after round until sending is over; what is under way then is brought to its end. */
  async beside(
    sending: Promise<unknown>,
    { hasExpiredLeases, hasOpenBulks, hasCountChanges, hasHits }: FoundAtStart,
  ): Promise<void> {
    let isOver = false
    const over = sending
      .catch(() => undefined)
      .then(() => {
        isOver = true
      })
    try {
      do {
        // Before whatever a time-out decides: what came before it must have been told.
        if (this.#isBegun || hasHits) await this.#noted('judge', () => this.#judge())
        const mayHaveExpired = this.#isBegun || hasExpiredLeases
        await this.#noted('begin', () => this.#beginWhatIsTime(mayHaveExpired))
        if (this.#isActionDue()) this.#start('act', 0, () => this.#act())
        this.#noteCarriedOut()
        this.#start('clear', ROUND_MS, () => this.#clear())
        if (this.#isBegun || hasOpenBulks) this.#start('bulk', ROUND_MS, () => this.#goOnWithBulks())
        if (this.#isBegun || hasCountChanges) this.#start('count', ROUND_MS, () => this.#addUpCounts())
        this.#start('plan', this.done.planningErrors.length > 0 ? SLOW_ROUND_MS : ROUND_MS, () => this.#plan())
        this.#start('ask', SLOW_ROUND_MS, () => this.#ask())
        if (this.#isBegun) this.#start('finish', SLOW_ROUND_MS, () => this.#finish())
        this.#isBegun = true
        this.#wake()
        const restMs = Math.min(ROUND_MS, Math.max(0, this.#nextStartMs ?? ROUND_MS))
        await Promise.race([sleep(restMs, undefined, { ref: false }), over])
      } while (!isOver)
    } finally {
      await Promise.all(this.#running.values())
      this.#noteCarriedOut()
    }
    await this.#noted('finish', () => this.#finish())
    for (const error of this.#failed.values()) throw error
  }

  /** Whether something may become due that is not in the queue yet. Waits until that is known. */
  async mayMoreCome(): Promise<boolean> {
    const before = this.#changes
    const started = performance.now()
    while (this.#changes === before && this.#isBusy()) {
      await Promise.race([this.#next(), sleep(LOOK_AGAIN_MS, undefined, { ref: false })])
      if (performance.now() - started >= LOOK_AGAIN_MS) return true
    }
    return this.#changes !== before
  }

  #isBusy(): boolean {
    const isStartComing = this.#nextStartMs !== null && this.#nextStartMs <= this.#time.leftMs()
    return this.#time.leftMs() > 0 && (!this.#isBegun || this.#running.size > 0 || isStartComing)
  }

  #start(chore: Chore, everyMs: number, work: () => Promise<void>): void {
    const endedMs = this.#endedMs.get(chore)
    if (this.#running.has(chore) || (endedMs !== undefined && performance.now() - endedMs < everyMs * 0.9)) return
    const running = this.#noted(chore, work).then(() => {
      this.#running.delete(chore)
      this.#endedMs.set(chore, performance.now())
      this.#wake()
    })
    this.#running.set(chore, running)
  }

  /** One part that fails keeps no other from its work; what has not gone well by the end fails the tick. */
  async #noted(chore: Chore, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failed.delete(chore)
    } catch (error) {
      this.#log.error({ error, chore }, 'a part of the tick failed')
      this.#failed.set(chore, error)
    }
  }

  /** Quick, and never behind anything slow: what comes back from a lost worker, and campaigns whose time has come. */
  async #beginWhatIsTime(mayHaveExpired: boolean): Promise<void> {
    if (mayHaveExpired) this.done.recovered += this.#changed(await recoverAll(this.#pool, this.#log, this.#time))
    // One statement by itself: a tick with nothing due asks few questions, and a deadlock is for the next round.
    const { reopened, nextStartMs, nextActionMs, hasToTakeBack, mayLack } = await wakeCampaigns(this.#pool)
    this.done.campaignsReopened += this.#changed(reopened)
    this.#nextStartMs = nextStartMs
    this.#nextActionMs = nextActionMs
    if (mayLack) this.done.actionsMended += this.#changed(await sweepIfTime(this.#pool, this.#log))
    if (hasToTakeBack) await takeBackActions({ pool: this.#pool, log: this.#log })
    if (!this.#isActionDue()) return
    await this.#acting.startAndEnd(this.#mayContinue)
    // One that others hold, or that waits for a broker, is looked at again in its round, and not at once.
    if (!this.#noteCarriedOut() && nextStartMs !== null && nextStartMs <= 0) this.#nextStartMs = null
  }

  /** Of tracked emails: who has looked at them, persons or machines. */
  async #judge(): Promise<void> {
    this.done.eventsTracked += this.#changed(await judgeHits(this.#pool, readTrackedEmails))
  }

  #isActionDue(): boolean {
    return this.#nextActionMs !== null && this.#nextActionMs <= 0
  }

  /** Waits that are over, time-outs, and what follows from events. */
  async #act(): Promise<void> {
    await this.#acting.actDue(this.#mayContinue)
    this.#noteCarriedOut()
  }

  /** By whatever came to it since: where a broker brings actions, they come at any time. */
  #noteCarriedOut(): boolean {
    const { started, done } = this.#acting.takeCarriedOut()
    this.done.campaignsStarted += this.#changed(started)
    this.done.actionsDone += this.#changed(done)
    const isSome = started + done > 0
    if (isSome) this.#endedMs.delete('plan')
    return isSome
  }

  /** Of stopped campaigns: what the stop itself had no time for. */
  async #clear(): Promise<void> {
    this.#open = await campaignsWithOpenEnrolments(this.#pool)
    for (const campaign of this.#open.filter(({ isStopped }) => isStopped))
      this.done.emailsCancelled += (await clearStopped(this.#pool, campaign, this.#mayContinue)).cancelled
  }

  /** What people want done with many emails, slice by slice, in turn where there are several. */
  async #goOnWithBulks(): Promise<void> {
    for (
      let looked: number | null = 0;
      looked !== null && this.#mayContinue();
      looked = await advanceBulk(this.#pool)
    ) {
      this.done.emailsInBulks += looked
      if (looked > 0) this.#changed(1)
    }
  }

  /** What emails have changed in the counts of the queue's page. */
  async #addUpCounts(): Promise<void> {
    // What comes while it adds up is for the next round: adding up one by one would be work for its own sake.
    for (const addUp of [addUpCounts, addUpPeople])
      while (this.#mayContinue() && (await addUp(this.#pool)) === ADDED_AT_ONCE);
  }

  async #plan(): Promise<void> {
    if (this.#isTimeFor('free')) this.done.enrolmentsFreed += await freeBlocked(this.#pool, this.#log)
    const turns = await planRoundRobin(this.#pool, {
      log: this.#log,
      mayContinue: this.#mayContinue,
      onProgress: () => {
        this.#changed(1)
        this.#wake()
      },
    })
    this.done.emailsScheduled += turns.scheduled
    this.done.emailsAppended += turns.appended
    this.done.emailsReplanned += this.#changed(turns.replanned)
    this.done.planningErrors = turns.errors
    this.done.planningUnfinished = turns.isUnfinished
  }

  async #ask(): Promise<void> {
    this.done.emailsProven += this.#changed(await this.#gatherEvidence())
  }

  async #finish(): Promise<void> {
    this.done.enrolmentsFinished += await finishEnrolments(this.#pool, this.#open)
    this.done.campaignsClosed += await closeFinished(this.#pool)
  }

  readonly #mayContinue = (): boolean => this.#time.leftMs() > 0

  #isTimeFor(rare: 'free'): boolean {
    const lastMs = this.#endedMs.get(rare)
    if (lastMs !== undefined && performance.now() - lastMs < SLOW_ROUND_MS) return false
    this.#endedMs.set(rare, performance.now())
    return true
  }

  #changed(count: number): number {
    this.#changes += count
    return count
  }

  #next(): Promise<void> {
    return new Promise((wake) => this.#waiting.push(wake))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}

async function recoverAll(pool: pg.Pool, log: Log, time: TimeLeft): Promise<number> {
  let recovered = 0
  for (;;) {
    const batch = await inTransaction(pool, (tx) => recover(tx, RECOVERED_AT_ONCE))
    for (const { id, leaseToken, status } of batch) log.info({ emailId: id, leaseToken, status }, 'recovered')
    recovered += batch.length
    if (batch.length < RECOVERED_AT_ONCE || time.leftMs() === 0) return recovered
  }
}

async function freeBlocked(pool: pg.Pool, log: Log): Promise<number> {
  let freed = 0
  for (const campaign of await campaignsWithBlocked(pool))
    try {
      freed += (await inTransaction(pool, (tx) => recheckBlocked(tx, campaign))).freed
    } catch (error) {
      // One campaign's bug must not keep the others from sending; the next tick looks again.
      log.error({ error, campaignId: campaign.id }, 'looking for missing fields failed')
    }
  return freed
}
