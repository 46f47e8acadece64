import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { InFlight } from '#lib/delivery/in-flight.ts'
import type { TimeLeft } from '#lib/mail/deadline.ts'
import { isServerAway } from '#lib/platform/connections/server-away.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import type { Log } from '#lib/platform/log.ts'
import { type ClaimedDelivery, claimDeliveries, claimDelivery, untilNextDelivery } from './claim.ts'
import { forgetOldDeliveries } from './clean.ts'
import { outcomeOf } from './outcome.ts'
import { bodyOf } from './payload.ts'
import { type Answer, postEvent } from './post.ts'
import { readSecrets } from './secrets.ts'
import { releaseDelivery, type Settled, settleDelivery, type TellOwners } from './settle.ts'
import { sign, webhookIdOf } from './signature.ts'
import type { Reach } from './target.ts'

export type CourierMeans = { pool: pg.Pool; log: Log; keyring: Keyring; reach: Reach; tellOwners: TellOwners }

/** Asked with the heartbeat, so that a tick with nothing to deliver asks little else about it. */
export type FoundAtStart = { hasDueWebhooks: boolean; hasOldWebhooks: boolean }

/** What an event may come of: asked when it is over. */
export type Work = { ended: Promise<unknown>; didAnything: () => boolean }

export type CourierCounts = { webhooksDelivered: number; webhooksFailed: number }

export const NOTHING_TOLD: CourierCounts = { webhooksDelivered: 0, webhooksFailed: 0 }

/** Of one process: sockets, and what they hold in memory. */
const IN_FLIGHT_MAX = 64
/** Of these, what endpoints that fail may take: a hundred that hang leave the others their half. */
const FAILING_IN_FLIGHT_MAX = 32
const ROUND_MS = 1_000
const FORGET_EVERY_MS = 300_000
/** A tick that ends with its process waits so long for what is due next: the first retry comes after five seconds. */
const WORTH_WAITING_MS = 10_000
/** A process that was told to end waits so long for receivers; what they have not answered by then goes back. */
const GRACE_MS = 3_000
const SETTLE_TRIES = 5
const SETTLE_PAUSE_MS = 500

/**
 * Delivers events beside everything else that a tick does. Nothing is held open while a receiver is asked: a delivery is
 * leased, posted and settled, and one whose worker died comes back when its lease is over, under the same id.
 */
export class Courier {
  readonly #means: CourierMeans
  readonly #inFlight = new InFlight()
  readonly #stopping = new AbortController()
  #failing = 0
  #counts = { ...NOTHING_TOLD }

  constructor(means: CourierMeans) {
    this.#means = means
    // Each delivery in flight listens.
    setMaxListeners(0, this.#stopping.signal)
  }

  /**
   * For a tick that ends with its process: round after round until what it is beside is over and nothing is due any more.
   * It must not fail. `time` is how long deliveries may begin; the last of them ends within 20 seconds of that.
   */
  async beside(
    { ended, didAnything }: Work,
    { hasDueWebhooks, hasOldWebhooks }: FoundAtStart,
    time: TimeLeft,
  ): Promise<void> {
    const over = untilOver(ended)
    await this.#noted(async () => {
      if (hasOldWebhooks) await this.#forget(time)
      if (!hasDueWebhooks) await this.#rest(over)
      if (!hasDueWebhooks && over.isSo && !didAnything()) return
      await this.#rounds(over, time)
      await this.#finish(time)
      // Where much is delivered, there may be too much to keep.
      if (this.#counts.webhooksDelivered > 0) await this.#forget(time)
    })
    await this.drain()
  }

  /** For a process that lives on, beside its ticks: a receiver that hangs holds up none of them. */
  async run(life: TimeLeft, signal: AbortSignal): Promise<void> {
    const over = untilOver(
      new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true })
        if (signal.aborted) resolve(undefined)
      }),
    )
    while (!over.isSo) {
      await this.#noted(async () => {
        await this.#forget(life)
        await this.#rounds(over, life, FORGET_EVERY_MS)
      })
      // After a failure as well, which would else be met again at once.
      await this.#rest(over)
    }
    await Promise.race([this.drain(), sleep(GRACE_MS, undefined, { ref: false })])
    this.#stopping.abort()
    await this.drain()
  }

  /** Waits for what is in flight. */
  async drain(): Promise<void> {
    await this.#inFlight.all()
  }

  takeCounts(): CourierCounts {
    const counts = this.#counts
    this.#counts = { ...NOTHING_TOLD }
    return counts
  }

  /** One that a person waits for, at once. Answers whether it was there to be taken. */
  async deliverNow(workspaceId: string, id: string): Promise<boolean> {
    const delivery = await claimDelivery(this.#means.pool, workspaceId, id)
    if (delivery) await this.#deliver(delivery)
    return delivery !== undefined
  }

  async #noted(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#means.log.error({ error }, 'delivering webhooks failed; it is tried again')
    }
  }

  async #rounds(over: Over, time: TimeLeft, msMax = Number.POSITIVE_INFINITY): Promise<void> {
    const startedMs = performance.now()
    while (!over.isSo && time.leftMs() > 0 && performance.now() - startedMs < msMax)
      if ((await this.#claim()) === 0) await this.#rest(over)
  }

  /** What is due, with what becomes due so soon that the end of the tick can wait for it. */
  async #finish(time: TimeLeft): Promise<void> {
    for (let idleSinceMs = performance.now(); performance.now() - idleSinceMs < WORTH_WAITING_MS; ) {
      const nextMs = await untilNextDelivery(this.#means.pool)
      const isDueSoon = nextMs !== null && nextMs <= Math.min(WORTH_WAITING_MS, time.leftMs())
      // What is in flight may fail, and is tried again within seconds.
      if ((!isDueSoon && this.#inFlight.emails === 0) || time.leftMs() === 0) return
      if (isDueSoon && (await this.#claim()) > 0) idleSinceMs = performance.now()
      else await this.#rest()
    }
  }

  async #forget(time: TimeLeft): Promise<void> {
    await forgetOldDeliveries(this.#means.pool, this.#means.tellOwners, time)
  }

  async #claim(): Promise<number> {
    const { pool } = this.#means
    let claimed = 0
    for (const isFailing of [false, true]) {
      const all = IN_FLIGHT_MAX - this.#inFlight.emails
      const free = isFailing ? Math.min(all, FAILING_IN_FLIGHT_MAX - this.#failing) : all
      if (free <= 0) continue
      const deliveries = await claimDeliveries(pool, free, isFailing)
      for (const delivery of deliveries) this.#start(delivery)
      claimed += deliveries.length
    }
    return claimed
  }

  #start(delivery: ClaimedDelivery): void {
    if (delivery.isFailing) this.#failing += 1
    this.#inFlight.add(
      1,
      () => this.#deliver(delivery),
      (landed) => {
        if (delivery.isFailing) this.#failing -= landed
      },
    )
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { log } = this.#means
    const startedMs = performance.now()
    try {
      const answer = await this.#post(delivery)
      if (answer.kind === 'stopped') return await releaseDelivery(this.#means.pool, delivery)
      const outcome = outcomeOf(answer, delivery.attempts, delivery.now)
      const settled = await this.#settle(delivery, { answer, outcome, durationMs: performance.now() - startedMs })
      if (outcome.kind === 'delivered') this.#counts.webhooksDelivered += 1
      else this.#counts.webhooksFailed += 1
      const { id, endpointId, attempts } = delivery
      log.info({ deliveryId: id, endpointId, attempt: attempts + 1, outcome: outcome.kind, settled }, 'webhook')
    } catch (error) {
      log.error({ error, deliveryId: delivery.id }, 'a webhook was not settled; it goes again when its lease is over')
    }
  }

  async #post(delivery: ClaimedDelivery): Promise<Answer> {
    const { pool, keyring, reach } = this.#means
    const { workspaceId, endpointId, hasPrevious, url, messageId, now } = delivery
    const secrets = await readSecrets(pool, keyring, { workspaceId, id: endpointId, hasPrevious }).catch(
      (error: unknown) => {
        if (isServerAway(error)) throw error
        return []
      },
    )
    if (secrets.length === 0) return { kind: 'none', problem: UNREADABLE }
    const body = bodyOf(delivery)
    return postEvent(
      { url, headers: sign(secrets, webhookIdOf(messageId), now, body), body },
      reach,
      this.#stopping.signal,
    )
  }

  /** The receiver has it: what became of it is worth more than one try. Else it gets it again, under the same id. */
  async #settle(delivery: ClaimedDelivery, what: Parameters<typeof settleDelivery>[2]): Promise<Settled> {
    const { pool, tellOwners } = this.#means
    for (let tries = 1; ; tries += 1) {
      try {
        return await settleDelivery(pool, delivery, what, tellOwners)
      } catch (error) {
        if (!isServerAway(error) || tries === SETTLE_TRIES) throw error
        await sleep(SETTLE_PAUSE_MS * tries)
      }
    }
  }

  async #rest(over?: Over): Promise<void> {
    const waits: Promise<unknown>[] = [sleep(ROUND_MS, undefined, { ref: false })]
    if (over) waits.push(over.promise)
    if (this.#inFlight.emails > 0) waits.push(this.#inFlight.next())
    await Promise.race(waits)
  }
}

type Over = { isSo: boolean; promise: Promise<unknown> }

function untilOver(work: Promise<unknown>): Over {
  const over: Over = { isSo: false, promise: Promise.resolve() }
  const end = () => {
    over.isSo = true
  }
  over.promise = work.then(end, end)
  return over
}

const UNREADABLE =
  'The secret that signs cannot be read: ENCRYPTION_KEYS no longer holds the key it was kept under. Make a new secret.'
