import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { TellMember } from '#lib/actions/run/tell-member.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { Log } from '#lib/platform/log.ts'
import type { Courier } from '#lib/webhooks/courier.ts'
import type { Sending } from './send-due.ts'
import type { SendingLimits } from './sending-limits.ts'
import { type Looker, runTick } from './tick.ts'
import type { Witness } from './witness.ts'

/** After this much a tick writes its summary, and the next one its heartbeat; sending goes on across them. */
const TICK_MS = 30_000
const REST_MS = 1_000
const REST_AFTER_FAILURE_MS = 3_000

export type WorkerOptions = {
  sender: Sending
  limits: SendingLimits
  signal: AbortSignal
  witness?: Witness
  promise?: Looker
  ownMail?: Looker
  tellMember?: TellMember
  courier?: Courier
}

/**
 * Tick after tick until told to stop; what is in flight then is brought to its end, and what was only claimed goes back.
 * One sender for all of them: a hand-over that hangs holds up no claim of the next tick. Any number of these may run.
 */
export async function runWorker(
  pool: pg.Pool,
  worker: string,
  log: Log,
  { sender, limits, signal, witness, promise, ownMail, tellMember, courier }: WorkerOptions,
): Promise<void> {
  const told = courier?.run(limits.beginning, signal)
  try {
    while (!signal.aborted) {
      const time = new Deadline(TICK_MS)
      let restMs = REST_MS
      try {
        const sending = { sender, time, signal, endsWithTick: false }
        const { planningUnfinished, due } = await runTick(pool, worker, log, {
          planning: time,
          sending,
          witness,
          promise,
          ownMail,
          tellMember,
          ...(courier && { webhooks: { courier } }),
        })
        if (planningUnfinished || due > 0) restMs = 0
      } catch (error) {
        log.error({ error }, 'a tick failed; the next one follows')
        restMs = REST_AFTER_FAILURE_MS
      }
      await sleep(restMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    await sender.drain()
    await told
    await witness?.keep()
  }
}
