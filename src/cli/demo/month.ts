import type pg from 'pg'
import { lookForNextDue } from '#lib/email-scheduler/send/next-due.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { Environment } from '#lib/platform/env.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { log } from '#lib/platform/log.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { Sender } from '#lib/worker/send-due.ts'
import { sendingLimits } from '#lib/worker/sending-limits.ts'
import { runTick } from '#lib/worker/tick.ts'
import type { DemoClock } from './clock.ts'

const WORKER = 'demo'
const TICK_MS = 1_000
const HOUR_MS = 3_600_000
/** What is due and cannot go (the window is closed, a limit is reached) is looked at again after so long. */
const LOOK_AGAIN_MS = 10 * 60_000

export class Month {
  readonly #pool: pg.Pool
  readonly #clock: DemoClock
  readonly #environment: Environment
  readonly #keyring: Keyring

  constructor(pool: pg.Pool, clock: DemoClock, environment: Environment, keyring: Keyring) {
    this.#pool = pool
    this.#clock = clock
    this.#environment = environment
    this.#keyring = keyring
  }

  /** Lets the time until then pass, from one email that is due to the next, with the worker's own tick at each. */
  async passUntil(moment: Date): Promise<void> {
    for (;;) {
      const now = (await this.#clock.now()).getTime()
      const left = moment.getTime() - now
      if (left <= 0) return
      const didSend = await this.#tick()
      const { ms } = await lookForNextDue(this.#pool, [])
      const wait = ms === null ? 6 * HOUR_MS : !didSend && ms <= 0 ? LOOK_AGAIN_MS : Math.max(ms, 0) + 5
      await this.#clock.goTo(new Date(Math.min(now + left, now + Math.min(wait, 6 * HOUR_MS))))
    }
  }

  async #tick(): Promise<boolean> {
    const limits = sendingLimits(this.#environment, { leftMs: () => Number.POSITIVE_INFINITY })
    const means = sendingMeans(this.#pool, this.#keyring, this.#environment.APP_URL)
    const sender = new Sender(this.#pool, WORKER, log, means, limits)
    const sending = { sender, time: new Deadline(TICK_MS), endsWithTick: true }
    const summary = await runTick(this.#pool, WORKER, log, { sending })
    return summary.sent + summary.dead + summary.unknown + summary.retried > 0
  }
}
