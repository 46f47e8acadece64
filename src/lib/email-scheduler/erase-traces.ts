import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { eraseContents } from './erase-contents.ts'

/** Longer than any lease, and than any evidence takes to come. */
const DAYS_LOOKED_BACK = 3

/**
 * Takes what is personal of erased prospects out of the queue and its history: providers repeat addresses in what they
 * answer, and guards in what they say. Numbers, times, outcomes and codes stay, since they prove what was sent. In the
 * transaction that erases: Postgres lets an attempt be blanked only where its prospect is erased.
 */
export async function eraseTraces(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  await blankErrors(tx, workspaceId, prospectIds)
  await blankAttempts(tx, workspaceId, prospectIds)
  await eraseContents(tx, workspaceId, prospectIds)
}

/**
 * The same for whoever was erased in the last days: a worker that held an email of theirs meanwhile has written down
 * afterwards what the provider said. For the tick; answers how many prospects it looked at.
 */
export async function eraseLateTraces(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ workspace_id: string; ids: string[] }>(
    `SELECT workspace_id, array_agg(id) AS ids FROM prospects WHERE erased_at > app_now() - interval '${DAYS_LOOKED_BACK} days' GROUP BY 1`,
  )
  for (const { workspace_id, ids } of rows) await inTransaction(pool, (tx) => eraseTraces(tx, workspace_id, ids))
  return rows.reduce((sum, { ids }) => sum + ids.length, 0)
}

async function blankErrors(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE scheduled_emails SET last_error = NULL, updated_at = app_now() WHERE id IN (
       SELECT e.id ${OF_THEM} AND e.last_error IS NOT NULL ORDER BY e.id FOR UPDATE OF e)`,
    [workspaceId, prospectIds],
  )
}

async function blankAttempts(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE email_attempts SET provider_text = NULL, evidence_text = NULL, receipt = NULL
     WHERE email_id IN (SELECT e.id ${OF_THEM}) AND num_nonnulls(provider_text, evidence_text, receipt) > 0`,
    [workspaceId, prospectIds],
  )
}

const OF_THEM = `FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
  WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[])`
