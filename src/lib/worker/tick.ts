import type pg from 'pg'
import { campaignsWithBlocked, recheckBlocked } from '#lib/campaigns/blocked.ts'
import { campaignsWithOpenEnrolments, closeFinished, finishEnrolments, wakeCampaigns } from '#lib/campaigns/finish.ts'
import { recover } from '#lib/email-scheduler/recover.ts'
import { clearStopped } from '#lib/email-scheduler/stop-campaign.ts'
import { takeTurns } from '#lib/email-scheduler/take-turns.ts'
import { againOnDeadlock, inTransaction } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { recordTickEnd, recordTickStart } from './heartbeat.ts'
import { NOTHING_SENT, type SendingCounts, type SendingLimits, type SendingMeans, sendDue } from './send-due.ts'
import { watchServer } from './watch-server.ts'

/** What one tick did, as the cron endpoint answers it. */
export type TickSummary = SendingCounts & {
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
  /** Leases that ran out: back in the queue, or unknown where the email had been marked. */
  recovered: number
  /** Of stopped campaigns: what the stop itself had no time for. */
  emailsCancelled: number
  /** What keeps campaigns from being planned, a sentence each. */
  planningErrors: string[]
  /** There was more to plan than this tick had time for. */
  planningUnfinished: boolean
}

/** Planning leaves the rest of a tick to sending. */
const PLANNING_MS_MAX = 60_000

const RECOVERED_AT_ONCE = 200

export type TickOptions = {
  planningMsMax?: number
  /** Without it, the tick plans and recovers only. */
  sending?: { means: SendingMeans; limits: SendingLimits }
}

/** One round of everything that happens at a time: the one place where the product's parts meet. */
export async function runTick(
  pool: pg.Pool,
  worker: string,
  log: Log,
  { planningMsMax = PLANNING_MS_MAX, sending }: TickOptions = {},
): Promise<TickSummary> {
  const started = performance.now()
  const { startedAt, mustLookAtServer, hasExpiredLeases } = await recordTickStart(pool, worker)
  if (mustLookAtServer) await watchServer(pool, log)
  const recovered = hasExpiredLeases ? await recoverAll(pool, log) : 0
  const { started: campaignsStarted, reopened: campaignsReopened } = await wakeCampaigns(pool)
  const enrolmentsFreed = await freeBlocked(pool, log)
  const mayContinue = () => performance.now() - started < planningMsMax
  const open = await campaignsWithOpenEnrolments(pool)
  let emailsCancelled = 0
  for (const campaign of open.filter(({ isStopped }) => isStopped))
    emailsCancelled += (await clearStopped(pool, campaign, mayContinue)).cancelled
  const planned = await takeTurns(pool, { log, mayContinue })
  const sent = sending ? await sendDue(pool, worker, log, sending.means, sending.limits) : NOTHING_SENT
  const enrolmentsFinished = await finishEnrolments(pool, open)
  const campaignsClosed = await closeFinished(pool)
  const summary: TickSummary = {
    worker,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - started),
    recovered,
    ...sent,
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

async function recoverAll(pool: pg.Pool, log: Log): Promise<number> {
  let recovered = 0
  for (;;) {
    const batch = await againOnDeadlock(() => inTransaction(pool, (tx) => recover(tx, RECOVERED_AT_ONCE)))
    for (const { id, leaseToken, status } of batch) log.info({ emailId: id, leaseToken, status }, 'recovered')
    recovered += batch.length
    if (batch.length < RECOVERED_AT_ONCE) return recovered
  }
}

async function freeBlocked(pool: pg.Pool, log: Log): Promise<number> {
  let freed = 0
  for (const campaign of await campaignsWithBlocked(pool))
    try {
      freed += (await inTransaction(pool, (tx) => recheckBlocked(tx, campaign))).freed
    } catch (error) {
      // One campaign's bug must not keep the others from sending; the next tick looks again.
      log.error({ error, campaignId: campaign.id }, 'looking for missing fields failed')
    }
  return freed
}
