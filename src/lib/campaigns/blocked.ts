import type { Sql } from '#lib/platform/database.ts'
import { missingFieldsSql, missingSentenceSql } from '#lib/sequences/merge-fields.ts'
import { readFieldsNeeded } from '#lib/sequences/steps.ts'
import type { Campaign } from './campaign.ts'
import type { EnrolmentReason } from './enrolment-reasons.ts'

/**
 * Looks again at which of a campaign's unplanned enrolments lack a field that its texts need: those that no longer do
 * are free, those that do by now are blocked. Asked when a field was filled, a text changed or the campaign is launched.
 */
export async function recheckBlocked(
  tx: Sql,
  { id, sequenceId }: Pick<Campaign, 'id' | 'sequenceId'>,
  prospectIds: readonly string[] | null = null,
): Promise<{ freed: number; blocked: number }> {
  const fields = await readFieldsNeeded(tx, sequenceId)
  const { rows } = await tx.query<{ freed: number; blocked: number }>(
    `WITH differing AS MATERIALIZED (
       SELECT cp.id, m.missing FROM campaign_prospects cp JOIN prospects p ON p.id = cp.prospect_id,
         LATERAL (SELECT ${missingFieldsSql('p', '$2::text[]')} AS missing) m
       WHERE cp.campaign_id = $1 AND cp.state IN ('PENDING', 'BLOCKED') AND cp.planned_at IS NULL
         AND (cp.state = 'PENDING') <> (m.missing = '{}') ${prospectIds ? 'AND cp.prospect_id = ANY($3::uuid[])' : 'AND $3::uuid[] IS NULL'}
       ORDER BY cp.id FOR NO KEY UPDATE OF cp
     ), looked_at AS (
       UPDATE campaign_prospects cp SET state = CASE WHEN d.missing = '{}' THEN 'PENDING' ELSE 'BLOCKED' END::enrolment_state,
         reason_code = CASE WHEN d.missing <> '{}' THEN '${'missing-fields' satisfies EnrolmentReason}' END,
         reason = CASE WHEN d.missing <> '{}' THEN ${missingSentenceSql('d.missing')} END
       FROM differing d WHERE cp.id = d.id AND cp.state IN ('PENDING', 'BLOCKED') AND cp.planned_at IS NULL
       RETURNING cp.state)
     SELECT count(*) FILTER (WHERE state = 'PENDING')::int AS freed, count(*) FILTER (WHERE state = 'BLOCKED')::int AS blocked
     FROM looked_at`,
    [id, fields, prospectIds],
  )
  return rows[0] ?? { freed: 0, blocked: 0 }
}

/** After a change of prospects: their enrolments are free, or blocked, as their fields are now. */
export async function recheckProspects(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Pick<Campaign, 'id' | 'sequenceId'>>(
    `SELECT DISTINCT c.id, c.sequence_id AS "sequenceId" FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
     WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[]) AND cp.state IN ('PENDING', 'BLOCKED')
     ORDER BY c.id`,
    [workspaceId, prospectIds],
  )
  for (const campaign of rows) await recheckBlocked(tx, campaign, prospectIds)
}

/** Campaigns that are not over and in which people are blocked: the tick looks again, should a verb have forgotten to. */
export async function campaignsWithBlocked(sql: Sql): Promise<Pick<Campaign, 'id' | 'sequenceId'>[]> {
  const { rows } = await sql.query<Pick<Campaign, 'id' | 'sequenceId'>>(
    `SELECT id, sequence_id AS "sequenceId" FROM campaigns c WHERE status IN ('RUNNING', 'PAUSED', 'SENT') AND archived_at IS NULL
       AND EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = c.id AND cp.state = 'BLOCKED')`,
  )
  return rows
}
