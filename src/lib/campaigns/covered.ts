import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { wasOrMayBeSent } from './may-have-arrived.ts'

/**
 * Which of these prospects have had something of a sequence as another prospect that was merged into them: the keys of both are
 * one person's. What was only planned for the other and never handed over does not count: the merge cancelled it.
 */
export async function coveredBeforeMerge(
  sql: Sql,
  sequenceId: string,
  prospectIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT DISTINCT merged.merged_into_id AS id FROM prospects merged
     JOIN campaign_prospects cp ON cp.prospect_id = merged.id
     JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id AND e.sequence_id = $1
     WHERE merged.merged_into_id = ANY($2::uuid[]) AND ${wasOrMayBeSent('e')}`,
    [sequenceId, plainArray(prospectIds)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Which of those who are covered owe it only to campaigns that were stopped, and got nothing from them. */
export async function coveredByStopped(
  sql: Sql,
  sequenceId: string,
  prospectIds: readonly string[],
): Promise<Set<string>> {
  if (prospectIds.length === 0) return new Set()
  const { rows } = await sql.query<{ id: string }>(
    `SELECT o.prospect_id AS id FROM campaign_prospects o JOIN campaigns c ON c.id = o.campaign_id
     WHERE o.prospect_id = ANY($2::uuid[]) AND o.planned_at IS NOT NULL AND c.sequence_id = $1
     GROUP BY 1 HAVING bool_and(c.status = 'STOPPED' AND NOT EXISTS (
       SELECT FROM scheduled_emails e WHERE e.campaign_prospect_id = o.id AND ${wasOrMayBeSent('e')}))`,
    [sequenceId, plainArray(prospectIds)],
  )
  return new Set(rows.map(({ id }) => id))
}
