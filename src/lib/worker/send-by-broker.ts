import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ActionMeans } from '#lib/actions/run/tell-member.ts'
import { ConnectionKeeper } from '#lib/delivery/connections.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { gatherEvidence } from '#lib/delivery/evidence.ts'
import { giveBackAll } from '#lib/delivery/give-back.ts'
import { Lanes } from '#lib/delivery/lanes.ts'
import { Permits } from '#lib/delivery/permits.ts'
import { NOTHING_SENT, type SendingCounts } from '#lib/delivery/sending-counts.ts'
import { Settling } from '#lib/delivery/settling.ts'
import type { Broker, Consuming } from '#lib/dispatch/broker.ts'
import { Consumer } from '#lib/dispatch/consumer.ts'
import { publishClaimed } from '#lib/dispatch/publish-claimed.ts'
import { sweepDead } from '#lib/dispatch/sweep-dead.ts'
import { takingEmails } from '#lib/dispatch/taking-emails.ts'
import { UnderWay } from '#lib/dispatch/under-way.ts'
import { watchingEmails } from '#lib/dispatch/watching-emails.ts'
import type { Landed } from '#lib/email-scheduler/by-broker/landed.ts'
import type { TakenOver } from '#lib/email-scheduler/by-broker/take-over.ts'
import { type Claim, type ClaimedEmail, claimNext } from '#lib/email-scheduler/send/claim.ts'
import { hasGoneBack } from '#lib/email-scheduler/send/moment.ts'
import { lookForNextDue } from '#lib/email-scheduler/send/next-due.ts'
import { openMailbox, type Providers } from '#lib/mail/provider.ts'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import type { Log } from '#lib/platform/log.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { BrokerActor } from './act-by-broker.ts'
import type { Acting } from './acting.ts'
import { AWAY_MS_MAX, NEW_WORK_MS, nextRestMs } from './broker-pauses.ts'
import { CONTENDED_MS, LOOK_AGAIN_MS_MAX, Resting } from './resting.ts'
import type { Claiming, Sending, SendingMeans } from './send-due.ts'
import type { SendingLimits } from './sending-limits.ts'
import { untilOpen } from './until-open.ts'
import { watchServer } from './watch-server.ts'

/** How many times what one process hands over at once may be claimed by it and on the way: others take some of it. */
const AHEAD = 2
/** As many as can be under way of its own, so that servers that hang fill no consumer. */
const AT_ONCE = 6

type Roles = { broker: Broker; consumer: Consumer<TakenOver>; sweeping: Consuming }

/**
 * Both roles of one process where a broker stands between them: it finds and claims what is due, and publishes it; and
 * it takes what it or any other has published, and brings that to its end. Nothing is claimed while the broker is away:
 * what is due stays in the queue, and nothing in memory. Actions go the same way, by the same broker.
 */
export class BrokerSender implements Sending {
  readonly #pool: pg.Pool
  readonly #worker: string
  readonly #limits: SendingLimits
  readonly #open: () => Promise<Broker>
  readonly #delivery: Delivery
  readonly #providers: Providers
  readonly #resting = new Resting()
  readonly #underWay: UnderWay<ClaimedEmail, Landed>
  #roles: Promise<Roles> | undefined
  #actor: BrokerActor | undefined
  #restMs = 0

  constructor(
    pool: pg.Pool,
    worker: string,
    log: Log,
    means: SendingMeans,
    limits: SendingLimits,
    open: () => Promise<Broker>,
  ) {
    this.#pool = pool
    this.#worker = worker
    this.#limits = limits
    this.#open = open
    this.#providers = means.providers
    const lanes = new Lanes(AHEAD * limits.connections)
    this.#underWay = new UnderWay(log, watchingEmails(pool, lanes))
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
      lanes,
      beginning: limits.beginning,
    }
  }

  get hasClaimed(): boolean {
    return this.#delivery.counts.due > 0
  }

  takeCounts(): SendingCounts {
    const { counts } = this.#delivery
    const taken = { ...counts }
    Object.assign(counts, NOTHING_SENT)
    return taken
  }

  /** As a sender without a broker does; what is under way takes the place of what is in flight. */
  async claimDue({ time, signal, mayMoreCome = async () => false }: Claiming): Promise<void> {
    const { broker } = await this.#bothRoles()
    const { lanes, log } = this.#delivery
    let upMs = performance.now()
    while (!signal?.aborted && time.leftMs() > 0) {
      if (!broker.isUp) {
        if (performance.now() - upMs > AWAY_MS_MAX) break
        await pause(CONTENDED_MS, signal)
        continue
      }
      upMs = performance.now()
      const { openings } = lanes
      const { except, only, isAll } = lanes.closed()
      if (isAll) {
        await Promise.race([this.#underWay.next(), pause(NEW_WORK_MS, signal)])
        continue
      }
      try {
        const resting = this.#resting.ids()
        const claim = await claimNext(
          this.#pool,
          { worker: forBroker(this.#worker), leaseMs: this.#limits.leaseMs },
          (mailboxId) => lanes.room(mailboxId),
          { except: [...resting, ...except], only },
        )
        if (claim.kind === 'claimed') {
          await this.#publish(broker, claim, signal)
          continue
        }
        if (claim.kind === 'resting') {
          this.#resting.add(claim.mailboxId, claim.ms)
          continue
        }
        const next = await lookForNextDue(this.#pool, [...resting, ...except])
        if (next.hasGoneBack && (await hasGoneBack(this.#pool))) await watchServer(this.#pool, log, true)
        const waitMs = this.#resting.soonest(next.ms)
        if (this.#underWay.count > 0) {
          const ms = Math.max(CONTENDED_MS, Math.min(waitMs ?? NEW_WORK_MS, NEW_WORK_MS))
          await untilOpen(lanes, openings, () => this.#underWay.next(), pause(ms, signal))
        } else if (except.length > 0 || only !== null) {
          await pause(CONTENDED_MS, signal)
        } else if (waitMs !== null && waitMs <= time.leftMs()) {
          await pause(Math.max(CONTENDED_MS, Math.min(waitMs, LOOK_AGAIN_MS_MAX)), signal)
        } else if (!(await mayMoreCome())) break
      } catch (error) {
        log.warn({ error }, 'claiming failed; it is tried again')
        await pause(NEW_WORK_MS, signal)
      }
    }
  }

  acting(means: ActionMeans): Acting {
    this.#actor ??= new BrokerActor(means, async () => (await this.#bothRoles()).broker)
    return this.#actor
  }

  gatherEvidence(): Promise<number> {
    return gatherEvidence(this.#delivery, this.#providers)
  }

  /** Takes nothing more, brings to its end what it has taken, and gives back what it has published and nobody took. */
  async drain(): Promise<void> {
    const roles = await this.#roles?.catch(() => undefined)
    this.#roles = undefined
    await Promise.all([roles?.consumer.stop(), roles?.sweeping.stop(), this.#actor?.drain()])
    const untaken = this.#underWay.stop().map((email) => ({ email }))
    await giveBackAll(this.#delivery, untaken, { code: 'out-of-time' }).catch((error) => {
      // Nothing is lost: recovery takes the emails when their leases end.
      this.#delivery.log.warn({ error, emails: untaken.length }, 'what is under way could not be given back')
    })
    this.#delivery.keeper.closeAll()
    await roles?.broker.close()
  }

  async #publish(broker: Broker, { emails }: Extract<Claim, { kind: 'claimed' }>, signal: AbortSignal | undefined) {
    this.#delivery.counts.due += emails.length
    const published = await publishClaimed(this.#delivery, broker, emails)
    this.#underWay.add(published)
    if (published.length === emails.length) this.#restMs = 0
    else {
      this.#restMs = nextRestMs(this.#restMs)
      await pause(this.#restMs, signal)
    }
  }

  /** Once, for the first that asks: what sends or what acts. */
  #bothRoles(): Promise<Roles> {
    this.#roles ??= this.#begin().catch((error: unknown) => {
      this.#roles = undefined
      throw error
    })
    return this.#roles
  }

  async #begin(): Promise<Roles> {
    const by = { worker: this.#worker, leaseMs: this.#limits.leaseMs }
    const broker = await this.#open()
    const taking = takingEmails(by, {
      delivery: this.#delivery,
      most: AT_ONCE * this.#limits.connections,
      ended: (lease) => this.#underWay.landedHere(lease),
    })
    const consumer = new Consumer(broker, this.#delivery.log, taking)
    const [sweeping] = await Promise.all([
      broker.consumeDead((letter) => void sweepDead(this.#delivery, by, letter)),
      consumer.start(),
      this.#actor?.begin(broker),
    ])
    return { broker, consumer, sweeping }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
