import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { deliver } from '#lib/delivery/deliver.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { InFlight } from '#lib/delivery/in-flight.ts'
import { lookAtLeft, type TakenOver, takeOver } from '#lib/email-scheduler/by-broker/take-over.ts'
import type { Lease } from '#lib/email-scheduler/lease.ts'
import type { Claimer } from '#lib/email-scheduler/send/claim.ts'
import type { Arrived, Broker, Consuming } from './broker.ts'
import { type Message, readMessage } from './message.ts'
import { sweepDead } from './sweep-dead.ts'

const FIRST_PAUSE_MS = 200
/** What is in another transaction's hands is looked at again after this. */
const PASSED_OVER_MS = 100
const PAUSE_MS_MAX = 30_000

type Pending = { message: Message; arrived: Arrived }

/**
 * Takes messages, and brings the emails that they name to their end: each is taken over by its token, then goes the same
 * way as one that was claimed here, and its message is acknowledged once the settlement has committed. What a message
 * names and nobody can take over any more has been dealt with, or will be by recovery.
 */
export class Consumer {
  readonly #broker: Broker
  readonly #by: Claimer
  readonly #most: number
  readonly #delivery: Delivery
  readonly #ended: (lease: Lease) => void
  readonly #inFlight = new InFlight()
  #pending: Pending[] = []
  #isTaking = false
  #isStopped = false
  #consuming: Consuming[] = []

  /** `most` is how many may be here at once; `ended` hears of each claim whose attempt has come to its end here. */
  constructor(
    broker: Broker,
    by: Claimer,
    { most, delivery, ended }: { most: number; delivery: Delivery; ended: (lease: Lease) => void },
  ) {
    this.#broker = broker
    this.#by = by
    this.#most = most
    this.#ended = ended
    this.#delivery = delivery
  }

  async start(): Promise<void> {
    this.#consuming = await Promise.all([
      this.#broker.consume(this.#most, (arrived) => this.#receive(arrived)),
      this.#broker.consumeDead((letter) => void sweepDead(this.#delivery, this.#by, letter)),
    ])
  }

  /** What has not been taken over goes back to the broker; what has is brought to its end. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#consuming.map((consuming) => consuming.stop()))
    for (const { arrived } of this.#pending.splice(0)) arrived.again()
    await this.#inFlight.all()
  }

  #receive(arrived: Arrived): void {
    const read = readMessage(arrived.text)
    if (!read.ok) {
      this.#delivery.log.warn({ problem: read.problem }, 'a message that is none of ours is put aside')
      arrived.dead('unreadable')
      return
    }
    this.#pending.push({ message: read.message, arrived })
    if (!this.#isTaking) void this.#take()
  }

  async #take(): Promise<void> {
    this.#isTaking = true
    // What arrives in the same turn of the event loop is taken over together.
    await nextTurn()
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      const taken = await this.#takeOverFor(batch)
      const passedOver = taken ? this.#begin(batch, taken) : []
      this.#pending.push(...passedOver)
      // At once, where something else has come to be taken over with it.
      if (passedOver.length > 0 && passedOver.length === this.#pending.length) await sleep(PASSED_OVER_MS)
    }
    this.#isTaking = false
  }

  /**
   * While Postgres is away the messages wait here, and since only so many are here at once, all others in the broker.
   * Undefined where there was no more time for it, and they have gone back.
   */
  async #takeOverFor(batch: readonly Pending[]): Promise<Taking | undefined> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isStopped; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      try {
        const { pool } = this.#delivery
        const emails = await takeOver(pool, this.#by, batch.map(takeable))
        const isTaken = new Set(emails.map(({ email }) => keyOf(email.id, email.leaseToken)))
        const left = batch.filter(({ message: { emailId, leaseToken } }) => !isTaken.has(keyOf(emailId, leaseToken)))
        const looks = await lookAtLeft(pool, left.map(takeable))
        return { emails, left: new Map(left.map((one, index) => [one, looks[index] ?? 'over'])) }
      } catch (error) {
        this.#delivery.log.warn({ error, messages: batch.length }, 'taking over failed; it is tried again')
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
    for (const { arrived } of batch) arrived.again()
    return undefined
  }

  /** Answers what has to be looked at again. */
  #begin(batch: readonly Pending[], { emails, left }: Taking): Pending[] {
    const taken = new Map(emails.map((one) => [keyOf(one.email.id, one.email.leaseToken), one]))
    const started: InHand[] = []
    const passedOver: Pending[] = []
    for (const pending of batch) {
      const { message, arrived } = pending
      const { emailId, leaseToken } = message
      const one = taken.get(keyOf(emailId, leaseToken))
      if (one) {
        // A second copy in the same batch finds the first.
        taken.delete(keyOf(emailId, leaseToken))
        started.push({ ...one, arrived })
      } else if (left.get(pending) === 'unknown') arrived.dead('not-ours')
      // Else its email would wait for the end of a lease that nobody uses.
      else if (left.get(pending) === 'passed-over') passedOver.push(pending)
      else {
        this.#delivery.log.info({ emailId, leaseToken, deliveries: arrived.deliveries }, 'nothing is left to do for it')
        arrived.done()
      }
    }
    const byMailbox = Map.groupBy(started, ({ mailbox }) => mailbox.id)
    for (const ofMailbox of byMailbox.values()) this.#deliver(ofMailbox)
    return passedOver
  }

  /**
   * Each batch answers its own messages, and no other's: where this process stood still past a lease, a later claim of
   * the same email may be in hand beside the earlier one.
   */
  #deliver(taken: readonly InHand[]): void {
    const [first] = taken
    if (!first) return
    const open = new Map(taken.map((one) => [one.email.id, one]))
    const ended = (emailId: string) => {
      const one = open.get(emailId)
      if (!one) return
      open.delete(emailId)
      one.arrived.done()
      this.#ended(one.email)
    }
    this.#inFlight.add(
      taken.length,
      async (landed) => {
        const emails = taken.map(({ email }) => email)
        await deliver({ ...this.#delivery, ended }, first.mailbox, emails, landed)
        // Nothing was written down for it: it was lost to somebody else, or Postgres was away. Whoever takes the message next will see.
        for (const { arrived } of open.values()) arrived.again()
      },
      () => undefined,
    )
  }
}

type Taking = { emails: TakenOver[]; left: ReadonlyMap<Pending, Awaited<ReturnType<typeof lookAtLeft>>[number]> }

type InHand = TakenOver & { arrived: Arrived }

const takeable = ({ message, arrived }: Pending) => ({
  id: message.emailId,
  leaseToken: message.leaseToken,
  // It was somebody's before, who was lost, or has lost the broker.
  fromAnyone: arrived.deliveries > 1,
})

const keyOf = (id: string, leaseToken: number) => `${id}:${leaseToken}`
