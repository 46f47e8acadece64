import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { recheckBlocked } from './blocked.ts'
import { type Campaign, findCampaign, lockCampaign } from './campaign.ts'

export type CampaignInput = { name: string; sequenceId: string; batchSize?: number | undefined }

export async function createCampaign(tx: Sql, workspaceId: string, input: CampaignInput): Promise<Campaign> {
  const sequence = await loadSequence(tx, workspaceId, input.sequenceId)
  const id = newId()
  await tx.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, batch_size, created_at, updated_at)
     VALUES ($1, $2, $3, $4, coalesce($5, 500), app_now(), app_now())`,
    [id, workspaceId, sequence.id, input.name, input.batchSize ?? null],
  )
  return findCampaign(tx, workspaceId, id)
}

/** The name and the size of a batch at any time; the sequence only while it is a draft. */
export async function changeCampaign(
  tx: Sql,
  workspaceId: string,
  id: string,
  change: Partial<CampaignInput>,
): Promise<Campaign> {
  const campaign = await lockCampaign(tx, workspaceId, id)
  const isOther = change.sequenceId !== undefined && change.sequenceId !== campaign.sequenceId
  if (isOther) {
    if (campaign.status !== 'DRAFT')
      throw new PublicError(409, 'not-a-draft', 'A campaign keeps its sequence once it has been launched.')
    await loadSequence(tx, workspaceId, change.sequenceId ?? '')
  }
  await tx.query(
    `UPDATE campaigns SET name = coalesce($2, name), batch_size = coalesce($3, batch_size), sequence_id = coalesce($4, sequence_id),
       dry_run_at = CASE WHEN $5 THEN NULL ELSE dry_run_at END, updated_at = app_now() WHERE id = $1`,
    [id, change.name ?? null, change.batchSize ?? null, change.sequenceId ?? null, isOther],
  )
  const changed = await findCampaign(tx, workspaceId, id)
  if (isOther) {
    // Who was skipped because of the other sequence is not, or not yet, because of this one: planning sorts them out.
    await tx.query(
      `UPDATE campaign_prospects SET state = 'PENDING', reason = NULL WHERE campaign_id = $1 AND state = 'SKIPPED'`,
      [id],
    )
    await recheckBlocked(tx, changed)
  }
  return changed
}

/** What a dry run was made for, so that a launch that follows it plans the same. */
export async function keepDryRun(sql: Sql, campaign: Pick<Campaign, 'id'>, madeFor: Date): Promise<void> {
  await sql.query(`UPDATE campaigns SET dry_run_at = $2 WHERE id = $1 AND status IN ('DRAFT', 'SCHEDULED')`, [
    campaign.id,
    madeFor,
  ])
}
