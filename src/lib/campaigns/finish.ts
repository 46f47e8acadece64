import type pg from 'pg'
import { ACTIONS_TO_TAKE_BACK, NEXT_ACTION_MS } from '#lib/actions/claim.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { ENROLMENT_REASONS, type EnrolmentReason } from './enrolment-reasons.ts'
import { FOLLOW_ONE_ANOTHER, ON_THE_WAY } from './journeys/open.ts'
import { MAY_LACK_ITS_END } from './times.ts'

export const ENROLMENTS_PER_LOOK = 5_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Emails in these states still move by themselves, or keep a follow-up waiting. */
const WAITING = `('SCHEDULED', 'SENDING', 'FAILED', 'RETRY_SCHEDULED')`

/**
 * An unknown email keeps its enrolment active: evidence or a person may set it going again. Each is looked up by itself:
 * for some thousands of them, EXISTS would read the emails and the journeys of everybody into a table of hashes.
 */
const NOTHING_OPEN = `(SELECT true FROM scheduled_emails e WHERE e.campaign_prospect_id = cp.id
  AND e.status IN ('SCHEDULED', 'SENDING', 'FAILED', 'RETRY_SCHEDULED', 'OUTCOME_UNKNOWN') LIMIT 1) IS NULL
  AND (SELECT true FROM journeys j WHERE j.enrolment_id = cp.id AND ${ON_THE_WAY} LIMIT 1) IS NULL`

/**
 * ACTIVE → FINISHED for those of these enrolments of which nothing is open. They are locked first and looked at second:
 * who sets an email going again holds its enrolment, so either is seen here or finds it finished and makes it active.
 */
async function finishIdle(tx: Sql, enrolmentIds: readonly string[]): Promise<number> {
  if (enrolmentIds.length === 0) return 0
  const ids = plainArray(enrolmentIds)
  await tx.query('SELECT FROM campaign_prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [ids])
  const { rowCount } = await tx.query(
    `UPDATE campaign_prospects cp SET state = 'FINISHED' WHERE id = ANY($1::uuid[]) AND state = 'ACTIVE' AND ${NOTHING_OPEN}`,
    [ids],
  )
  return rowCount ?? 0
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
    `UPDATE campaign_prospects SET state = 'SKIPPED', reason_code = $3, reason = $4
     WHERE id IN (SELECT cp.id FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
       WHERE c.id = $1 AND c.status = 'STOPPED' AND cp.state IN ('PENDING', 'BLOCKED') ORDER BY cp.id LIMIT $2 FOR NO KEY UPDATE OF cp)`,
    [campaignId, ENROLMENTS_PER_LOOK, STOPPED, ENROLMENT_REASONS[STOPPED]],
  )
  return rowCount ?? 0
}

const STOPPED = 'campaign-stopped' satisfies EnrolmentReason

/**
 * ACTIVE → FINISHED where nothing of an enrolment is open any more, a few thousand of each campaign at a time, going
 * round: sending need not tell, and a tick stays short however large the campaign.
 */
export async function finishEnrolments(pool: pg.Pool, campaigns: readonly OpenCampaign[]): Promise<number> {
  let finished = 0
  for (const { id } of campaigns) finished += await finishSome(pool, id)
  return finished
}

/**
 * One look; the next goes on where this one ended. How far it came is written after it and by itself: with enrolments in
 * hand nobody waits for a campaign, which comes before them in the order of locks.
 */
export async function finishSome(pool: pg.Pool, campaignId: string): Promise<number> {
  const { rows } = await pool.query<{ before: string | null; id: string | null; isIdle: boolean | null }>(
    LOOK_AT_SOME,
    [campaignId, ENROLMENTS_PER_LOOK],
  )
  const idle = rows.flatMap(({ id, isIdle }) => (id !== null && isIdle ? [id] : []))
  const finished = await inTransaction(pool, (tx) => finishIdle(tx, idle))
  const after = rows.length === ENROLMENTS_PER_LOOK ? (rows.at(-1)?.id ?? null) : null
  if (after !== (rows[0]?.before ?? null)) await keepCursor(pool, campaignId, after)
  return finished
}

export const LOOK_AT_SOME = `SELECT c.finish_cursor AS before, looked_at.id, looked_at.idle AS "isIdle"
  FROM campaigns c LEFT JOIN LATERAL (
    SELECT cp.id, ${NOTHING_OPEN} AS idle FROM campaign_prospects cp
    WHERE cp.campaign_id = c.id AND cp.state = 'ACTIVE' AND cp.id > coalesce(c.finish_cursor, '${BEFORE_ALL}')
    ORDER BY cp.id LIMIT $2) looked_at ON true
  WHERE c.id = $1 ORDER BY looked_at.id`

/** Marks share the row of a running campaign without end, so it is asked for in turn. */
async function keepCursor(pool: pg.Pool, campaignId: string, cursor: string | null): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await takeFairLock(tx, 'to change', [campaignId])
    await tx.query('UPDATE campaigns SET finish_cursor = $2 WHERE id = $1', [campaignId, cursor])
  })
}

/**
 * RUNNING → SENT where nobody is left to plan and nothing waits. Its enrolments are finished before, some thousands at a
 * time, each batch in a transaction of its own: enrolling and sending wait for none of it. What is left for the lock is
 * what became idle in between.
 */
export async function closeFinished(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM campaigns WHERE status = 'RUNNING' AND ${OVER}`)
  let closed = 0
  for (const { id } of rows) {
    await finishAllIdle(pool, id)
    closed += await inTransaction(pool, (tx) => close(tx, id))
  }
  return closed
}

async function finishAllIdle(pool: pg.Pool, campaignId: string): Promise<void> {
  let after = BEFORE_ALL
  for (;;) {
    const idle = await findIdle(pool, campaignId, after)
    await inTransaction(pool, (tx) => finishIdle(tx, idle))
    if (idle.length < ENROLMENTS_PER_LOOK) return
    after = idle.at(-1) ?? after
  }
}

async function findIdle(sql: Sql, campaignId: string, after: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT cp.id FROM campaign_prospects cp WHERE cp.campaign_id = $1 AND cp.state = 'ACTIVE' AND cp.id > $2 AND ${NOTHING_OPEN}
     ORDER BY cp.id LIMIT $3`,
    [campaignId, after, ENROLMENTS_PER_LOOK],
  )
  return rows.map(({ id }) => id)
}

/**
 * The lock comes first and the look second: an enrolment or a batch that held the campaign has committed by then and is
 * seen. Where thousands have become idle since, the next round finishes them, and this one closes nothing.
 */
async function close(tx: Sql, id: string): Promise<number> {
  await takeFairLock(tx, 'to change', [id])
  await tx.query('SELECT FROM campaigns WHERE id = $1 FOR NO KEY UPDATE', [id])
  const idle = await findIdle(tx, id, BEFORE_ALL)
  if (idle.length === ENROLMENTS_PER_LOOK) return 0
  await finishIdle(tx, idle)
  const { rowCount } = await tx.query(
    `UPDATE campaigns SET status = 'SENT', updated_at = app_now() WHERE id = $1 AND status = 'RUNNING' AND ${OVER}`,
    [id],
  )
  return rowCount ?? 0
}

/** It has people, none is left to plan, every step has its emails, and none of them waits. */
const OVER = `EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = campaigns.id)
  AND NOT EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = campaigns.id AND cp.state = 'PENDING')
  AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_id = campaigns.id AND e.status IN ${WAITING})
  AND NOT EXISTS (SELECT FROM journeys j WHERE j.campaign_id = campaigns.id AND ${ON_THE_WAY})
  AND (steps_planned >= (SELECT coalesce(max(step_number), 0) FROM sequence_steps s WHERE s.sequence_id = campaigns.sequence_id)
    OR NOT ${FOLLOW_ONE_ANOTHER('campaigns')})`

export type Woken = {
  reopened: number
  /** How long until the next one starts, by the database's clock; 0: its time has come. */
  nextStartMs: number | null
  /** The same of whatever is set for a time. */
  nextActionMs: number | null
  /** What a lost worker held, or a pause that is over. */
  hasToTakeBack: boolean
  /** There is something that the sweep could find wanting. */
  mayLack: boolean
}

/**
 * SENT → RUNNING where something waits after all: evidence proved an email unsent, a field was filled. (The verbs that know
 * it reopen by themselves; this is for all others.) And, in the same statement, what is set for when.
 */
export async function wakeCampaigns(sql: Sql): Promise<Woken> {
  const { rows } = await sql.query<Woken>(
    `WITH reopened AS (
       UPDATE campaigns SET status = 'RUNNING', archived_at = NULL, updated_at = app_now() WHERE status = 'SENT' AND (
         EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_id = campaigns.id AND e.status IN ${WAITING})
         OR EXISTS (SELECT FROM journeys j WHERE j.campaign_id = campaigns.id AND ${ON_THE_WAY})
         OR EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = campaigns.id AND cp.state = 'PENDING')) RETURNING 1)
     SELECT (SELECT count(*)::int FROM reopened) AS reopened,
       (SELECT (extract(epoch FROM min(due_at) - app_now()) * 1000)::float8 FROM scheduled_actions
        WHERE type = 'START_CAMPAIGN' AND status = 'PENDING') AS "nextStartMs",
       (${NEXT_ACTION_MS}) AS "nextActionMs", EXISTS (${ACTIONS_TO_TAKE_BACK}) AS "hasToTakeBack",
       EXISTS (SELECT FROM journeys WHERE state <> 'ENDED') OR EXISTS (SELECT FROM campaigns WHERE status = 'SCHEDULED')
         OR EXISTS (SELECT FROM campaigns WHERE ${MAY_LACK_ITS_END('campaigns')}) AS "mayLack"`,
  )
  return rows[0] ?? { reopened: 0, nextStartMs: null, nextActionMs: null, hasToTakeBack: false, mayLack: false }
}

/** SCHEDULED → RUNNING where its time has come, with the campaign locked. Guarded: it starts once, however many ask. */
export async function startCampaign(tx: Sql, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE campaigns SET status = 'RUNNING', launched_at = app_now(), updated_at = app_now()
     WHERE id = $1 AND status = 'SCHEDULED' AND scheduled_at <= app_now()`,
    [id],
  )
  return rowCount === 1
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

/** Their enrolments are active from now on: also those that are, since they may just be being finished. Before the emails. */
export async function reactivate(tx: Sql, emailIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE campaign_prospects SET state = 'ACTIVE' WHERE id IN (
       SELECT id FROM campaign_prospects WHERE state IN ('ACTIVE', 'FINISHED') AND id IN (
         SELECT campaign_prospect_id FROM scheduled_emails WHERE id = ANY($1::uuid[])) ORDER BY id FOR NO KEY UPDATE)`,
    [emailIds],
  )
}
