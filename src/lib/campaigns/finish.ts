import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'

const ENROLMENTS_PER_LOOK = 5_000

/** Emails in these states still move by themselves, or keep a follow-up waiting. */
const WAITING = `('SCHEDULED', 'SENDING', 'FAILED', 'RETRY_SCHEDULED')`

/** An unknown email keeps its enrolment active: evidence or a person may set it going again. */
const NOTHING_OPEN = `NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_prospect_id = cp.id
  AND e.status IN ('SCHEDULED', 'SENDING', 'FAILED', 'RETRY_SCHEDULED', 'OUTCOME_UNKNOWN'))`

/** All enrolments of a campaign of which nothing is open. */
async function finishIdle(tx: Sql, campaignId: string): Promise<void> {
  await tx.query(
    `UPDATE campaign_prospects cp SET state = 'FINISHED' WHERE campaign_id = $1 AND state = 'ACTIVE' AND ${NOTHING_OPEN}`,
    [campaignId],
  )
}

export type OpenCampaign = { id: string; workspaceId: string; isStopped: boolean }

/** Campaigns with enrolments that have not finished; a stopped one may also have some that were never planned. */
export async function campaignsWithOpenEnrolments(sql: Sql): Promise<OpenCampaign[]> {
  const { rows } = await sql.query<OpenCampaign>(
    `SELECT id, workspace_id AS "workspaceId", status = 'STOPPED' AS "isStopped" FROM campaigns c
     WHERE status IN ('RUNNING', 'PAUSED', 'SENT', 'STOPPED') AND EXISTS (
       SELECT FROM campaign_prospects cp WHERE cp.campaign_id = c.id
         AND (cp.state = 'ACTIVE' OR (c.status = 'STOPPED' AND cp.state IN ('PENDING', 'BLOCKED'))))`,
  )
  return rows
}

/** Who was not planned when their campaign was stopped, some thousands at a time. */
export async function skipUnplanned(tx: Sql, campaignId: string): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE campaign_prospects SET state = 'SKIPPED', reason = 'The campaign was stopped before it came to the prospect.'
     WHERE id IN (SELECT cp.id FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
       WHERE c.id = $1 AND c.status = 'STOPPED' AND cp.state IN ('PENDING', 'BLOCKED') ORDER BY cp.id LIMIT $2 FOR NO KEY UPDATE OF cp)`,
    [campaignId, ENROLMENTS_PER_LOOK],
  )
  return rowCount ?? 0
}

/**
 * ACTIVE → FINISHED where nothing of an enrolment is open any more, a few thousand of each campaign at a time, going
 * round: sending need not tell, and a tick stays short however large the campaign.
 */
export async function finishEnrolments(pool: pg.Pool, campaigns: readonly OpenCampaign[]): Promise<number> {
  let finished = 0
  for (const { id } of campaigns) finished += await inTransaction(pool, (tx) => finishSome(tx, id))
  return finished
}

/** One look; the next goes on where this one ended. */
export async function finishSome(tx: Sql, campaignId: string): Promise<number> {
  const { rows } = await tx.query<{ finished: number }>(
    `WITH looked_at AS MATERIALIZED (
       SELECT cp.id, cp.planned_steps FROM campaign_prospects cp
       WHERE cp.campaign_id = $1 AND cp.state = 'ACTIVE'
         AND cp.id > coalesce((SELECT finish_cursor FROM campaigns WHERE id = $1), '00000000-0000-0000-0000-000000000000')
       ORDER BY cp.id LIMIT $2
     ), finished AS (
       UPDATE campaign_prospects cp SET state = 'FINISHED' FROM looked_at l
       -- Compared again where somebody has just appended a step to it.
       WHERE cp.id = l.id AND cp.state = 'ACTIVE' AND cp.planned_steps = l.planned_steps AND ${NOTHING_OPEN} RETURNING cp.id
     ), moved AS (
       UPDATE campaigns SET finish_cursor =
         (SELECT CASE WHEN count(*) = $2 THEN (array_agg(id ORDER BY id DESC))[1] END FROM looked_at)
       WHERE id = $1)
     SELECT count(*)::int AS finished FROM finished`,
    [campaignId, ENROLMENTS_PER_LOOK],
  )
  return rows[0]?.finished ?? 0
}

/**
 * RUNNING → SENT where nobody is left to plan and nothing waits. The lock comes first and the look second: an enrolment
 * or a batch that held the campaign has committed by then and is seen.
 */
export async function closeFinished(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM campaigns WHERE status = 'RUNNING' AND ${OVER}`)
  let closed = 0
  for (const { id } of rows) {
    closed += await inTransaction(pool, async (tx) => {
      await tx.query('SELECT FROM campaigns WHERE id = $1 FOR NO KEY UPDATE', [id])
      await finishIdle(tx, id)
      const { rowCount } = await tx.query(
        `UPDATE campaigns SET status = 'SENT', updated_at = app_now() WHERE id = $1 AND status = 'RUNNING' AND ${OVER}`,
        [id],
      )
      return rowCount ?? 0
    })
  }
  return closed
}

/** Somebody is in it, nobody is left to plan, every step has its emails, and none of them waits. */
const OVER = `EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = campaigns.id)
  AND NOT EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = campaigns.id AND cp.state = 'PENDING')
  AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_id = campaigns.id AND e.status IN ${WAITING})
  AND steps_planned >= (SELECT coalesce(max(step_number), 0) FROM sequence_steps s WHERE s.sequence_id = campaigns.sequence_id)`

/**
 * SCHEDULED → RUNNING for every campaign whose time has come; and SENT → RUNNING where something waits after all: evidence
 * proved an email unsent, a field was filled. (The verbs that know it reopen by themselves; this is for all others.)
 */
export async function wakeCampaigns(sql: Sql): Promise<{ started: number; reopened: number }> {
  const { rows } = await sql.query<{ started: number; reopened: number }>(
    `WITH started AS (
       UPDATE campaigns SET status = 'RUNNING', launched_at = app_now(), updated_at = app_now()
       WHERE status = 'SCHEDULED' AND scheduled_at <= app_now() RETURNING 1
     ), reopened AS (
       UPDATE campaigns SET status = 'RUNNING', archived_at = NULL, updated_at = app_now() WHERE status = 'SENT' AND (
         EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_id = campaigns.id AND e.status IN ${WAITING})
         OR EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = campaigns.id AND cp.state = 'PENDING')) RETURNING 1)
     SELECT (SELECT count(*)::int FROM started) AS started, (SELECT count(*)::int FROM reopened) AS reopened`,
  )
  return rows[0] ?? { started: 0, reopened: 0 }
}

/** The campaigns of emails that a person sets going again: they run. Called before anything of theirs is locked. */
export async function reopenCampaignsOf(tx: Sql, workspaceId: string, emailIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE campaigns SET status = 'RUNNING', archived_at = NULL, updated_at = app_now() WHERE id IN (
       SELECT id FROM campaigns WHERE status = 'SENT' AND id IN (
         SELECT campaign_id FROM scheduled_emails WHERE workspace_id = $1 AND id = ANY($2::uuid[])) ORDER BY id FOR NO KEY UPDATE)`,
    [workspaceId, emailIds],
  )
}

/** Their enrolments are active again. */
export async function reactivate(tx: Sql, emailIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE campaign_prospects SET state = 'ACTIVE' WHERE state = 'FINISHED' AND id IN (
       SELECT campaign_prospect_id FROM scheduled_emails WHERE id = ANY($1::uuid[]))`,
    [emailIds],
  )
}
