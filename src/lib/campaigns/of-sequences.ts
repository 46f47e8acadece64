import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { Campaign } from './campaign.ts'

export type SequenceUse = {
  /** Those that are not archived, oldest first. */
  campaigns: Pick<Campaign, 'id' | 'name' | 'status'>[]
  /** People whom one of its campaigns has planned: they get it from no other. */
  people: number
}

/** What becomes of these sequences in campaigns. Those that no campaign uses are not in the answer. */
export async function readSequenceUses(
  sql: Sql,
  workspaceId: string,
  sequenceIds: readonly string[],
): Promise<Map<string, SequenceUse>> {
  const { rows } = await sql.query<SequenceUse & { sequenceId: string }>(
    `SELECT c.sequence_id AS "sequenceId", coalesce(sum(planned.people), 0)::int AS people,
       coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'status', c.status) ORDER BY c.id)
         FILTER (WHERE c.archived_at IS NULL), '[]') AS campaigns
     FROM campaigns c CROSS JOIN LATERAL (
       SELECT count(*) AS people FROM campaign_prospects cp WHERE cp.campaign_id = c.id AND cp.planned_at IS NOT NULL) planned
     WHERE c.workspace_id = $1 AND c.sequence_id = ANY($2::uuid[]) GROUP BY 1`,
    [workspaceId, plainArray(sequenceIds)],
  )
  return new Map(rows.map(({ sequenceId, ...use }) => [sequenceId, use]))
}
