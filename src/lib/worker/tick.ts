import type pg from 'pg'
import { campaignsWithBlocked, recheckBlocked } from '#lib/campaigns/blocked.ts'
import {
  campaignsWithOpenEnrolments,
  closeFinished,
  finishEnrolments,
  reopenUnfinished,
} from '#lib/campaigns/finish.ts'
import { startDueCampaigns } from '#lib/campaigns/move.ts'
import { clearStopped } from '#lib/email-scheduler/stop-campaign.ts'
import { takeTurns } from '#lib/email-scheduler/take-turns.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { recordTickEnd, recordTickStart } from './heartbeat.ts'
import { watchServer } from './watch-server.ts'

/** What one tick did, as the cron endpoint answers it. */
export type TickSummary = {
  worker: string
  startedAt: string
  durationMs: number
  campaignsStarted: number
  campaignsReopened: number
  campaignsClosed: number
  enrolmentsFreed: number
  enrolmentsFinished: number
  emailsScheduled: number
  emailsAppended: number
  emailsReplanned: number
  /** Of stopped campaigns: what the stop itself had no time for. */
  emailsCancelled: number
  /** What keeps campaigns from being planned, a sentence each. */
  planningErrors: string[]
  /** There was more to plan than this tick had time for. */
  planningUnfinished: boolean
}

/** Planning leaves the rest of a tick to sending. */
const PLANNING_MS_MAX = 60_000

type Limits = { planningMsMax?: number }

/** One round of everything that happens at a time: the one place where the product's parts meet. */
export async function runTick(
  pool: pg.Pool,
  worker: string,
  log: Log,
  { planningMsMax = PLANNING_MS_MAX }: Limits = {},
): Promise<TickSummary> {
  const started = performance.now()
  await watchServer(pool, log)
  const startedAt = await recordTickStart(pool, worker)
  const campaignsStarted = await startDueCampaigns(pool)
  const enrolmentsFreed = await freeBlocked(pool)
  const campaignsReopened = await reopenUnfinished(pool)
  const mayContinue = () => performance.now() - started < planningMsMax
  const open = await campaignsWithOpenEnrolments(pool)
  let emailsCancelled = 0
  for (const campaign of open.filter(({ isStopped }) => isStopped))
    emailsCancelled += (await clearStopped(pool, campaign, mayContinue)).cancelled
  const planned = await takeTurns(pool, { log, mayContinue })
  const enrolmentsFinished = await finishEnrolments(pool, open)
  const campaignsClosed = await closeFinished(pool)
  const summary: TickSummary = {
    worker,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - started),
    campaignsStarted,
    campaignsReopened,
    campaignsClosed,
    enrolmentsFreed,
    enrolmentsFinished,
    emailsScheduled: planned.scheduled,
    emailsAppended: planned.appended,
    emailsReplanned: planned.replanned,
    emailsCancelled,
    planningErrors: planned.errors,
    planningUnfinished: planned.isUnfinished,
  }
  await recordTickEnd(pool, worker, summary)
  log.info(summary, 'tick')
  return summary
}

async function freeBlocked(pool: pg.Pool): Promise<number> {
  let freed = 0
  for (const campaign of await campaignsWithBlocked(pool))
    freed += (await inTransaction(pool, (tx) => recheckBlocked(tx, campaign))).freed
  return freed
}
