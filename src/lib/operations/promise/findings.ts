import type { Sql } from '#lib/platform/database.ts'
import { INVARIANTS } from '../doctor/invariants.ts'
import type { WalkName } from '../doctor/walks.ts'
import type { Found } from './step.ts'

/** Of one invariant in one workspace; where more offends, the doctor counts it. */
export const KEPT_MAX = 50
/** How many of what was found before are looked at again in each look, the longest unseen first. */
const SEEN_AGAIN_MAX = 500

export type KeptFinding = { invariant: string; key: string; walk: WalkName }

/** What no invariant of this version asks any more goes at once. */
export async function findingsToSeeAgain(sql: Sql): Promise<KeptFinding[]> {
  const { rows } = await sql.query<KeptFinding>(
    `WITH forgotten AS (DELETE FROM promise_findings WHERE invariant <> ALL($1))
     SELECT invariant, key, walk FROM promise_findings WHERE invariant = ANY($1) ORDER BY seen_at LIMIT $2`,
    [INVARIANTS.map(({ name }) => name), SEEN_AGAIN_MAX],
  )
  return rows
}

/** New ones up to the bound, and answers how many; of those that are known, that they are still there. */
export async function keepFindings(sql: Sql, walk: WalkName, found: readonly Found[]): Promise<number> {
  if (found.length === 0) return 0
  const { rowCount } = await sql.query(
    `WITH found AS MATERIALIZED (
       SELECT DISTINCT ON (invariant, key) invariant, key, "workspaceId" AS workspace_id
       FROM json_to_recordset($2) AS f(invariant text, key text, "workspaceId" uuid) ORDER BY invariant, key
     ), known AS (
       UPDATE promise_findings k SET seen_at = app_now() FROM found f WHERE k.invariant = f.invariant AND k.key = f.key
     ), kept AS MATERIALIZED (
       SELECT invariant, workspace_id, count(*) AS count FROM promise_findings GROUP BY 1, 2
     ), fresh AS (
       SELECT f.*, row_number() OVER (PARTITION BY f.invariant, f.workspace_id ORDER BY f.key) AS nth FROM found f
       WHERE NOT EXISTS (SELECT FROM promise_findings k WHERE k.invariant = f.invariant AND k.key = f.key))
     INSERT INTO promise_findings (invariant, key, walk, workspace_id)
     SELECT f.invariant, f.key, $1, f.workspace_id FROM fresh f
     LEFT JOIN kept ON kept.invariant = f.invariant AND kept.workspace_id IS NOT DISTINCT FROM f.workspace_id
     WHERE f.nth + coalesce(kept.count, 0) <= $3
     ON CONFLICT (invariant, key) DO UPDATE SET seen_at = EXCLUDED.seen_at`,
    [walk, JSON.stringify(found), KEPT_MAX],
  )
  return rowCount ?? 0
}

export async function forgetFindings(sql: Sql, cured: readonly KeptFinding[]): Promise<void> {
  if (cured.length === 0) return
  await sql.query(
    `DELETE FROM promise_findings k USING unnest($1::text[], $2::text[]) AS cured(invariant, key)
     WHERE k.invariant = cured.invariant AND k.key = cured.key`,
    [cured.map(({ invariant }) => invariant), cured.map(({ key }) => key)],
  )
}
