import type pg from 'pg'
import type { Log } from '#lib/platform/log.ts'
import { recordTickEnd, recordTickStart } from './heartbeat.ts'

/** What one tick did, as the cron endpoint answers it. */
export type TickSummary = { worker: string; startedAt: string; durationMs: number }

/** One round of everything that happens at a time: the one place where the product's parts meet. */
export async function runTick(pool: pg.Pool, worker: string, log: Log): Promise<TickSummary> {
  const started = performance.now()
  const startedAt = await recordTickStart(pool, worker)
  const summary = { worker, startedAt: startedAt.toISOString(), durationMs: Math.round(performance.now() - started) }
  await recordTickEnd(pool, worker, summary)
  log.info(summary, 'tick')
  return summary
}
