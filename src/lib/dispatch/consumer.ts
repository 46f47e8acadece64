import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from '#lib/email-scheduler/lease.ts'
import type { Log } from '#lib/platform/log.ts'
import type { Left, Wanted } from '#lib/platform/rows/for-broker.ts'
import type { Arrived, Broker, Consuming } from './broker.ts'
import { idOf, type Kind, type Message, readMessage } from './message.ts'

const FIRST_PAUSE_MS = 200
/** What is in another transaction's hands is looked at again after this. */
const PASSED_OVER_MS = 100
const PAUSE_MS_MAX = 30_000

type Pending = { message: Message; arrived: Arrived }

/** What was taken over by its message, and the message, which is answered once its end has committed. */
export type InHand<T> = { taken: T; arrived: Arrived }

/** What becomes of the messages of one kind. */
export type Taking<T> = {
  kind: Kind
  /** How many may be here at once. */
  most: number
  /** How many batches may be in hand at once; what arrives until one has come to its end is taken over together. */
  batchesMax: number
  takeOver(wanted: readonly Wanted[]): Promise<T[]>
  leaseOf(taken: T): Lease
  /** What is the case with those that were not taken over, in the same order. */
  lookAtLeft(wanted: readonly Wanted[]): Promise<Left[]>
  /** To their ends. Answers each message. */
  carryOut(inHand: readonly InHand<T>[]): Promise<void>
}

/**
 * Takes messages of one kind, and brings what they name to its end: each is taken over by its token, then goes the same
 * way as what was claimed here. What a message names and nobody can take over any more has been dealt with, or will be by
 * recovery.
 */
export class Consumer<T> {
  readonly #broker: Broker
  readonly #log: Log
  readonly #by: Taking<T>
  readonly #inHand = new Set<Promise<void>>()
  #pending: Pending[] = []
  #taking: Promise<void> | undefined
  #isStopped = false
  #consuming: Consuming | undefined

  constructor(broker: Broker, log: Log, by: Taking<T>) {
    this.#broker = broker
    this.#log = log
    this.#by = by
  }

  async start(): Promise<void> {
    const { kind, most } = this.#by
    this.#consuming = await this.#broker.consume(kind, most, (arrived) => this.#receive(arrived))
  }

  /** What has not been taken over goes back to the broker; what has is brought to its end. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#consuming?.stop()
    for (const { arrived } of this.#pending.splice(0)) arrived.again()
    await this.#taking
    await Promise.all(this.#inHand)
  }

  #receive(arrived: Arrived): void {
    const read = readMessage(arrived.text)
    if (!read.ok || read.message.kind !== this.#by.kind) {
      const problem = read.ok ? 'it is of another kind' : read.problem
      this.#log.warn({ problem }, 'a message that is none of ours is put aside')
      arrived.dead(read.ok ? 'not-ours' : 'unreadable')
      return
    }
    this.#pending.push({ message: read.message, arrived })
    this.#taking ??= this.#take()
  }

  async #take(): Promise<void> {
    // What arrives in the same turn of the event loop is taken over together.
    await nextTurn()
    while (this.#pending.length > 0) {
      while (this.#inHand.size >= this.#by.batchesMax) await Promise.race(this.#inHand)
      const batch = this.#pending
      this.#pending = []
      const taken = await this.#takeOverFor(batch)
      const passedOver = taken ? this.#begin(batch, taken) : []
      this.#pending.push(...passedOver)
      // At once, where something else has come to be taken over with it.
      if (passedOver.length > 0 && passedOver.length === this.#pending.length) await sleep(PASSED_OVER_MS)
    }
    // In the same breath as the last look at what is pending: what arrives from here on is taken anew.
    this.#taking = undefined
  }

  /**
   * While Postgres is away the messages wait here, and since their number is bounded, all others wait in the broker.
   * Undefined where there was no more time for it, and they have gone back.
   */
  async #takeOverFor(batch: readonly Pending[]): Promise<TakenOver<T> | undefined> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isStopped; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      try {
        const taken = await this.#by.takeOver(batch.map(takeable))
        const isTaken = new Set(taken.map((one) => keyOf(this.#by.leaseOf(one))))
        const left = batch.filter((one) => !isTaken.has(keyOf(takeable(one))))
        const looks = await this.#by.lookAtLeft(left.map(takeable))
        return { taken, left: new Map(left.map((one, index) => [one, looks[index] ?? 'over'])) }
      } catch (error) {
        this.#log.warn({ error, messages: batch.length }, 'taking over failed; it is tried again')
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
    for (const { arrived } of batch) arrived.again()
    return undefined
  }

  /** Answers what has to be looked at again. */
  #begin(batch: readonly Pending[], { taken, left }: TakenOver<T>): Pending[] {
    const ours = new Map(taken.map((one) => [keyOf(this.#by.leaseOf(one)), one]))
    const started: InHand<T>[] = []
    const passedOver: Pending[] = []
    for (const pending of batch) {
      const { message, arrived } = pending
      const lease = { id: idOf(message), leaseToken: message.leaseToken }
      const one = ours.get(keyOf(lease))
      if (one) {
        // A second copy in the same batch finds the first.
        ours.delete(keyOf(lease))
        started.push({ taken: one, arrived })
      } else if (left.get(pending) === 'unknown') arrived.dead('not-ours')
      // Else it would wait for the end of a lease that nobody uses.
      else if (left.get(pending) === 'passed-over') passedOver.push(pending)
      else {
        this.#log.info({ kind: message.kind, ...lease, deliveries: arrived.deliveries }, 'nothing is left to do for it')
        arrived.done()
      }
    }
    if (started.length > 0) this.#carryOut(started)
    return passedOver
  }

  #carryOut(started: readonly InHand<T>[]): void {
    const work = this.#by
      .carryOut(started)
      .catch((error: unknown) => this.#log.error({ error }, 'what was taken over did not come to its end'))
      .finally(() => this.#inHand.delete(work))
    this.#inHand.add(work)
  }
}

type TakenOver<T> = { taken: T[]; left: ReadonlyMap<Pending, Left> }

const takeable = ({ message, arrived }: Pending) => ({
  id: idOf(message),
  leaseToken: message.leaseToken,
  // Another process had it before, which was lost, or has lost the broker.
  fromAnyone: arrived.deliveries > 1,
})

const keyOf = ({ id, leaseToken }: Lease) => `${id}:${leaseToken}`
