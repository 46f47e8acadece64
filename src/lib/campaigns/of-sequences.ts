import { peopleCells } from '#lib/audience/people-counts.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { Campaign } from './campaign.ts'
import { type Ledger, NO_ENROLMENTS, PLANNED_STATES } from './ledger.ts'

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
       SELECT sum(people) AS people FROM (${peopleCells('= c.id')}) kept WHERE state = ANY($3)) planned
     WHERE c.workspace_id = $1 AND c.sequence_id = ANY($2::uuid[]) GROUP BY 1`,
    [workspaceId, plainArray(sequenceIds), PLANNED_STATES],
  )
  return new Map(rows.map(({ sequenceId, ...use }) => [sequenceId, use]))
}

/** The same people of one sequence, by their state. */
export async function countPeopleOf(sql: Sql, workspaceId: string, sequenceId: string): Promise<Ledger['enrolments']> {
  const { rows } = await sql.query<{ state: (typeof PLANNED_STATES)[number]; count: number }>(
    `SELECT kept.state, sum(kept.people)::int AS count FROM campaigns c CROSS JOIN LATERAL (${peopleCells('= c.id')}) kept
     WHERE c.workspace_id = $1 AND c.sequence_id = $2 AND kept.state = ANY($3) GROUP BY 1 HAVING sum(kept.people) <> 0`,
    [workspaceId, sequenceId, PLANNED_STATES],
  )
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  return { ...NO_ENROLMENTS, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])), total }
}
