import { eraseActionsOf } from '#lib/actions/cancel.ts'
import type { Sql } from '#lib/platform/database.ts'
import { eraseContents } from './erase-contents.ts'
import { emptyLate } from './erase-recipients.ts'

/**
 * Takes what is personal of erased prospects out of the queue and its history: providers repeat addresses in what they
 * answer, and guards in what they say. Numbers, times, outcomes and codes stay, since they prove what was sent. In the
 * transaction that erases: Postgres lets an attempt be blanked only where its prospect is erased.
 */
export async function eraseTraces(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  await blankErrors(tx, workspaceId, prospectIds)
  await blankAttempts(tx, workspaceId, prospectIds)
  await eraseContents(tx, workspaceId, prospectIds)
  const { rows } = await tx.query<{ id: string }>(
    'SELECT id FROM campaign_prospects WHERE workspace_id = $1 AND prospect_id = ANY($2::uuid[])',
    [workspaceId, prospectIds],
  )
  await eraseActionsOf(
    tx,
    rows.map(({ id }) => id),
  )
}

/**
 * The same for those among the recipients of these emails who have been erased since: a worker that held an email of
 * theirs writes down afterwards what the provider said. By the writer, in the same transaction.
 */
export async function eraseLateTraces(tx: Sql, emailIds: readonly string[]): Promise<void> {
  if (emailIds.length === 0) return
  const { rows } = await tx.query<{ workspace_id: string; ids: string[] }>(
    `SELECT p.workspace_id, array_agg(DISTINCT p.id) AS ids FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id
     WHERE e.id = ANY($1::uuid[]) AND p.erased_at IS NOT NULL GROUP BY 1`,
    [emailIds],
  )
  for (const { workspace_id, ids } of rows) await eraseTraces(tx, workspace_id, ids)
  await emptyLate(tx, emailIds)
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
