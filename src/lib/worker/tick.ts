import type pg from 'pg'
import { PlanDesk } from '#lib/email-scheduler/plan-desk.ts'
import { workspacesToReplan } from '#lib/email-scheduler/plan-lock.ts'
import { replanWorkspace } from '#lib/email-scheduler/replan.ts'
import type { Log } from '#lib/platform/log.ts'
import { recordTickEnd, recordTickStart } from './heartbeat.ts'

/** What one tick did, as the cron endpoint answers it. */
export type TickSummary = {
  worker: string
  startedAt: string
  durationMs: number
  /** Emails planned again, since settings, a mailbox or the step before them changed. */
  replanned: number
  /** Workspaces in which something went wrong; the log tells what. */
  failures: number
}

/** Of the function's 300 s; what is left over, the next tick does. */
const BUDGET_MS = 240_000

/** One round of everything that happens at a time: the one place where the product's parts meet. */
export async function runTick(pool: pg.Pool, worker: string, log: Log): Promise<TickSummary> {
  const started = performance.now()
  const startedAt = await recordTickStart(pool, worker)
  const run = { log, desk: new PlanDesk(), mayContinue: () => performance.now() - started < BUDGET_MS }
  let replanned = 0
  let failures = 0
  for (const workspaceId of await workspacesToReplan(pool)) {
    try {
      replanned += await replanWorkspace(pool, workspaceId, run)
    } catch (error) {
      // One workspace's fault must not keep the others waiting; the next tick tries it again.
      failures += 1
      log.error({ error, workspaceId }, 'planning again failed')
    }
  }
  const summary = {
    worker,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - started),
    replanned,
    failures,
  }
  await recordTickEnd(pool, worker, summary)
  log.info(summary, 'tick')
  return summary
}
