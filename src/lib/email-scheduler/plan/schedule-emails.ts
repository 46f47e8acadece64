import type pg from 'pg'
import { loadCampaign } from '#lib/campaigns/campaign.ts'
import { countUnplanned } from '#lib/campaigns/unplanned.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { PlanningSession } from './planning-session.ts'
import { type BatchResult, scheduleBatch } from './schedule-batch.ts'

/**
 * What one call did: emails put into the queue; those that were not, since their key was there already or their enrolment
 * was skipped; what stopped it; enrolments still to plan.
 */
export type SchedulingResult = { scheduled: number; skipped: number; errors: string[]; remaining: number }

type Run = {
  log: Log
  /** Asked before each batch; a request's or a tick's time budget. */
  mayContinue(): boolean
  session?: PlanningSession
}

/**
 * Plans a running campaign batch by batch until everything is planned or the time is up. Called again, by whomever and
 * however often, at once or after a crash, it plans what is left and counts the rest as skipped.
 */
export async function scheduleEmailsForCampaign(
  pool: pg.Pool,
  { workspaceId, campaignId }: { workspaceId: string; campaignId: string },
  { log, mayContinue, session = new PlanningSession() }: Run,
): Promise<SchedulingResult> {
  const campaign = await loadCampaign(pool, workspaceId, campaignId)
  if (!campaign) return { scheduled: 0, skipped: 0, errors: ['There is no such campaign.'], remaining: 0 }
  let scheduled = 0
  let ofSkipped = 0
  const errors: string[] = []
  while (mayContinue()) {
    const result = await session.inTransaction(pool, workspaceId, (tx) => scheduleBatch(tx, session, campaign, log))
    if (result.kind === 'planned') {
      scheduled += result.scheduled
      ofSkipped += result.skipped
    } else if (result.kind !== 'replanned') {
      const error = describe(result)
      if (error !== undefined) errors.push(error)
      break
    }
  }
  const known = (await countEmails(pool, campaign.id)) - scheduled
  if (known > 0) log.info({ campaignId, skipped: known }, 'keys that were scheduled before were skipped')
  return { scheduled, skipped: known + ofSkipped, errors, remaining: await countUnplanned(pool, campaign.id) }
}

function describe(result: Exclude<BatchResult, { kind: 'planned' | 'replanned' }>): string | undefined {
  switch (result.kind) {
    case 'nothing-left':
      return undefined
    case 'not-running':
      return 'The campaign is not running; launch or resume it first.'
    case 'not-found':
      return 'There is no such campaign.'
    case 'impossible':
      return result.sentence
  }
}

async function countEmails(sql: Sql, campaignId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM scheduled_emails WHERE campaign_id = $1',
    [campaignId],
  )
  return rows[0]?.count ?? 0
}
