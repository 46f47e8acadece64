import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { SequenceGraph } from './graph/node-types.ts'
import type { WrittenStep } from './steps.ts'

/** A program has no address of its own. */
export type SavedBy = { id: string; email: string } | null

export type VersionSummary = {
  version: number
  name: string
  changes: string[]
  savedByEmail: string | null
  savedAt: Date
}

export type Version = VersionSummary & { steps: WrittenStep[]; graph: SequenceGraph | null }

type Kept = {
  version: number
  name: string
  steps: readonly WrittenStep[]
  graph: SequenceGraph | null
  changes: readonly string[]
}

const written = (graph: SequenceGraph | null) => graph && JSON.stringify(graph)

/** In the transaction that makes it so. */
export async function keepVersion(tx: Sql, sequenceId: string, by: SavedBy, kept: Kept): Promise<void> {
  const { version, name, steps, graph, changes } = kept
  await tx.query(
    `INSERT INTO sequence_versions (sequence_id, version, name, steps, changes, saved_by_id, saved_by_email, graph)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [sequenceId, version, name, JSON.stringify(steps), changes, by?.id ?? null, by?.email ?? null, written(graph)],
  )
}

/**
 * Drafts save themselves every few seconds: what one person writes within ten minutes is one version, which goes on
 * under the newest number. Answers whether there was one to go on with.
 */
export async function goOnWithVersion(tx: Sql, sequenceId: string, by: SavedBy, kept: Kept): Promise<boolean> {
  const { version, name, steps, graph, changes } = kept
  const { rowCount } = await tx.query(
    `UPDATE sequence_versions SET version = $2, name = $3, steps = $4, graph = $7, saved_at = app_now(),
       changes = changes || ARRAY(SELECT word FROM unnest($5::text[]) word WHERE word <> ALL (changes))
     WHERE sequence_id = $1 AND version = (SELECT max(version) FROM sequence_versions WHERE sequence_id = $1)
       AND version > (SELECT min(version) FROM sequence_versions WHERE sequence_id = $1) AND saved_by_id = $6
       AND begun_at > app_now() - interval '10 minutes'`,
    [sequenceId, version, name, JSON.stringify(steps), changes, by?.id ?? null, written(graph)],
  )
  return rowCount === 1
}

const SUMMARY = `v.version, v.name, v.changes, v.saved_by_email AS "savedByEmail", v.saved_at AS "savedAt"`

/** Newest first. */
export async function listVersions(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ versions: VersionSummary[]; hasMore: boolean }> {
  const { rows: found } = await sql.query('SELECT FROM sequences WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    sequenceId,
  ])
  if (found.length === 0) throw notFound()
  const { rows } = await sql.query<VersionSummary>(
    `SELECT ${SUMMARY} FROM sequence_versions v WHERE v.sequence_id = $1 AND ($2::int IS NULL OR v.version < $2)
     ORDER BY v.version DESC LIMIT $3`,
    [sequenceId, before ?? null, limit + 1],
  )
  return { versions: rows.slice(0, limit), hasMore: rows.length > limit }
}

export async function loadVersion(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  version: number,
): Promise<Version> {
  const { rows } = await sql.query<Version>(
    `SELECT ${SUMMARY}, v.steps, v.graph FROM sequence_versions v JOIN sequences q ON q.id = v.sequence_id
     WHERE q.workspace_id = $1 AND q.id = $2 AND v.version = $3`,
    [workspaceId, sequenceId, version],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}
