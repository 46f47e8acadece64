import type { Sql } from '#lib/platform/database.ts'
import type { CampaignStatus } from '#lib/platform/generated/enums.ts'

export type Campaign = {
  id: string
  workspaceId: string
  sequenceId: string
  status: CampaignStatus
  batchSize: number
}

const COLUMNS = `id, workspace_id AS "workspaceId", sequence_id AS "sequenceId", status, batch_size AS "batchSize"`

export async function loadCampaign(sql: Sql, workspaceId: string, id: string): Promise<Campaign | undefined> {
  const { rows } = await sql.query<Campaign>(`SELECT ${COLUMNS} FROM campaigns WHERE workspace_id = $1 AND id = $2`, [
    workspaceId,
    id,
  ])
  return rows[0]
}

/**
 * The same, and its status holds until the transaction ends: a pause or stop waits for it, and then finds everything
 * that it inserted.
 */
export async function holdCampaign(tx: Sql, workspaceId: string, id: string): Promise<Campaign | undefined> {
  const { rows } = await tx.query<Campaign>(
    `SELECT ${COLUMNS} FROM campaigns WHERE workspace_id = $1 AND id = $2 FOR SHARE`,
    [workspaceId, id],
  )
  return rows[0]
}
