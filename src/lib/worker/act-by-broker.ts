import { setTimeout as sleep } from 'node:timers/promises'
import { giveBackActions } from '#lib/actions/by-broker/give-back.ts'
import { lookAtLeftActions, takeOverActions } from '#lib/actions/by-broker/take-over.ts'
import { lookForLandedActions } from '#lib/actions/by-broker/under-way.ts'
import { type ClaimedAction, claimActions } from '#lib/actions/claim.ts'
import { CLAIMED_AT_ONCE } from '#lib/actions/limits.ts'
import { bothOf, type CarriedOut, carryOut, inBatches } from '#lib/actions/run/run-actions.ts'
import type { ActionMeans } from '#lib/actions/run/tell-member.ts'
import type { Broker } from '#lib/dispatch/broker.ts'
import { Consumer, type InHand, type Taking } from '#lib/dispatch/consumer.ts'
import { publishActions, republishActions } from '#lib/dispatch/publish-actions.ts'
import { UnderWay } from '#lib/dispatch/under-way.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import type { Acting } from './acting.ts'
import { AWAY_MS_MAX, NEW_WORK_MS, nextRestMs } from './broker-pauses.ts'
import { CONTENDED_MS } from './resting.ts'

/** One claim that is carried out, and one that follows. */
const AHEAD_MAX = CLAIMED_AT_ONCE
const AT_ONCE = 2 * CLAIMED_AT_ONCE
/** A second one, so that a start waits for no batch that stands in a queue for its campaign. */
const BATCHES_MAX = 2

/**
 * Actions through a broker, in both roles, as emails go: what is due is claimed and published; what arrives, published by
 * whomever, is taken over together and carried out set-wise, as it is without a broker, so that a hundred thousand
 * time-outs are as many messages and no more transactions than before.
 */
export class BrokerActor implements Acting {
  readonly #means: ActionMeans
  readonly #broker: () => Promise<Broker>
  readonly #underWay: UnderWay<ClaimedAction>
  #consumer: Consumer<ClaimedAction> | undefined
  #beginning: Promise<void> | undefined
  #refilling: Promise<void> | undefined
  #carriedOut: CarriedOut = { started: 0, done: 0 }
  #restMs = 0
  #restsUntilMs = 0
  #isStopped = false

  constructor(means: ActionMeans, broker: () => Promise<Broker>) {
    this.#means = means
    this.#broker = broker
    this.#underWay = new UnderWay(means.log, { look: (actions) => lookForLandedActions(means.pool, actions) })
  }

  /** Takes what arrives from now on; and fills the broker again, as soon as it is there, with what it may have forgotten. */
  begin(broker: Broker): Promise<void> {
    this.#beginning ??= this.#begin(broker)
    return this.#beginning
  }

  /** Publishing may be slow, and what comes before everything else must not be: they go with the rest. */
  async startAndEnd(): Promise<void> {}

  async actDue(mayContinue: () => boolean): Promise<void> {
    // Asked again while it ends, it must not open the broker anew.
    if (this.#isStopped) return
    const broker = await this.#broker()
    await this.begin(broker)
    for (let waitedMs = 0; !broker.isUp && waitedMs < AWAY_MS_MAX && mayContinue(); waitedMs += CONTENDED_MS)
      await sleep(CONTENDED_MS)
    while (broker.isUp && !this.#isStopped && mayContinue() && performance.now() >= this.#restsUntilMs) {
      const claimed = this.#underWay.count > AHEAD_MAX ? [] : await this.#claim()
      if (claimed.length > 0) await this.#publish(broker, claimed)
      else if (this.#underWay.count === 0) return
      else await Promise.race([this.#underWay.next(), sleep(NEW_WORK_MS, undefined, { ref: false })])
    }
  }

  takeCarriedOut(): CarriedOut {
    const taken = this.#carriedOut
    this.#carriedOut = { started: 0, done: 0 }
    return taken
  }

  /** Brings to its end what it has taken, and gives back what it has published and nobody took. */
  async drain(): Promise<void> {
    const { pool, log } = this.#means
    this.#isStopped = true
    await this.#consumer?.stop()
    await this.#refilling
    const untaken = this.#underWay.stop()
    await giveBackActions(pool, untaken, 'Its worker ended before anybody took it.').catch((error: unknown) => {
      // Nothing is lost: recovery takes the actions when their leases end.
      log.warn({ error, actions: untaken.length }, 'actions under way could not be given back')
    })
  }

  async #begin(broker: Broker): Promise<void> {
    this.#consumer = new Consumer(broker, this.#means.log, this.#taking())
    await this.#consumer.start()
    this.#refilling = this.#refill(broker)
  }

  async #refill(broker: Broker): Promise<void> {
    while (!broker.isUp && !this.#isStopped) await sleep(CONTENDED_MS, undefined, { ref: false })
    if (this.#isStopped) return
    try {
      await republishActions(this.#means, broker)
    } catch (error) {
      this.#means.log.warn({ error }, 'the broker could not be filled again; what it has lost waits for its lease')
    }
  }

  /** Of campaigns first: a start waits for nobody's time-outs. */
  async #claim(): Promise<ClaimedAction[]> {
    const { pool, worker } = this.#means
    const by = forBroker(worker)
    return [...(await claimActions(pool, by, 'campaigns')), ...(await claimActions(pool, by, 'people'))]
  }

  async #publish(broker: Broker, claimed: readonly ClaimedAction[]): Promise<void> {
    const published = await publishActions(this.#means, broker, claimed)
    this.#underWay.add(published)
    this.#restMs = published.length === claimed.length ? 0 : nextRestMs(this.#restMs)
    this.#restsUntilMs = performance.now() + this.#restMs
  }

  #taking(): Taking<ClaimedAction> {
    const { pool, worker } = this.#means
    return {
      kind: 'action',
      most: AT_ONCE,
      batchesMax: BATCHES_MAX,
      takeOver: (wanted) => takeOverActions(pool, worker, wanted),
      leaseOf: (action) => action,
      lookAtLeft: (wanted) => lookAtLeftActions(pool, wanted),
      carryOut: (inHand) => this.#carryOut(inHand),
    }
  }

  /**
   * Each message is acknowledged after the commit of its batch. What another worker had before, which was lost, comes last and by
   * itself: one that ends its worker takes no other with it.
   */
  async #carryOut(inHand: readonly InHand<ClaimedAction>[]): Promise<void> {
    const arrivedOf = new Map(inHand.map(({ taken, arrived }) => [taken.id, arrived]))
    const { fresh = [], again = [] } = Object.groupBy(inHand, ({ arrived }) =>
      arrived.deliveries > 1 ? 'again' : 'fresh',
    )
    const together = inBatches(fresh.map(({ taken }) => taken))
    for (const batch of [...together, ...again.map(({ taken }) => [taken])]) {
      try {
        this.#carriedOut = bothOf(this.#carriedOut, await carryOut(this.#means, batch))
        for (const action of batch) {
          arrivedOf.get(action.id)?.done()
          this.#underWay.landedHere(action)
        }
      } catch (error) {
        // Not even its failure could be written down: the next taker of the message will see.
        this.#means.log.warn({ error, actions: batch.length }, 'actions could be neither carried out nor given up')
        for (const { id } of batch) arrivedOf.get(id)?.again()
      }
    }
  }
}
