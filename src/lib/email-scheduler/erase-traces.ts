import type { Sql } from '#lib/platform/database.ts'
import { eraseContents } from './erase-contents.ts'

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
