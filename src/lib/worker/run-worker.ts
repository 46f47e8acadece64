import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '#lib/platform/log.ts'
import type { SendingLimits, SendingMeans } from './send-due.ts'
import { runTick } from './tick.ts'

/** Each tick sends for so long before it looks at everything else again. */
export const WORKER_TICK_MS = 30_000
const REST_MS = 1_000
const REST_AFTER_FAILURE_MS = 3_000

/** Tick after tick until told to stop; what is in flight then is brought to its end. Any number of these may run. */
export async function runWorker(
  pool: pg.Pool,
  worker: string,
  log: Log,
  sending: { means: SendingMeans; limits: SendingLimits & { signal: AbortSignal } },
): Promise<void> {
  const { signal } = sending.limits
  while (!signal.aborted) {
    let restMs = REST_MS
    try {
      await runTick(pool, worker, log, { planningMsMax: WORKER_TICK_MS, sending })
    } catch (error) {
      log.error({ error }, 'a tick failed; the next one follows')
      restMs = REST_AFTER_FAILURE_MS
    }
    await sleep(restMs, undefined, { signal }).catch(() => undefined)
  }
}
