import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { type ArchivedChoice, archivedSql, refuseArchived } from '#lib/platform/rows/archived.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { ProspectFilter } from './prospect-filter.ts'

/** A filter with a name. Who is in it is asked anew each time. */
export type Segment = {
  id: string
  name: string
  filter: ProspectFilter
  version: number
  archivedAt: Date | null
  createdAt: Date
}

const COLUMNS = `id, name, filter, version, archived_at AS "archivedAt", created_at AS "createdAt"`

export async function listSegments(
  sql: Sql,
  workspaceId: string,
  { archived }: { archived: ArchivedChoice } = { archived: 'false' },
): Promise<Segment[]> {
  const { rows } = await sql.query<Segment>(
    `SELECT ${COLUMNS} FROM segments WHERE workspace_id = $1 AND ${archivedSql('archived_at', archived)}
     ORDER BY lower(name), id`,
    [workspaceId],
  )
  return rows
}

export async function loadSegment(sql: Sql, workspaceId: string, id: string): Promise<Segment> {
  const { rows } = await sql.query<Segment>(`SELECT ${COLUMNS} FROM segments WHERE workspace_id = $1 AND id = $2`, [
    workspaceId,
    id,
  ])
  if (!rows[0]) throw notFound()
  return rows[0]
}

export async function createSegment(
  sql: Sql,
  workspaceId: string,
  wanted: { name: string; filter: ProspectFilter },
): Promise<Segment> {
  refuseEverybody(wanted.filter)
  const { rows } = await sql.query<Segment>(
    `INSERT INTO segments (id, workspace_id, name, filter) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, lower(name)) WHERE archived_at IS NULL DO NOTHING RETURNING ${COLUMNS}`,
    [newId(), workspaceId, wanted.name, wanted.filter],
  )
  if (!rows[0]) throw nameTaken()
  return rows[0]
}

/** Renames, filters otherwise, archives, or takes out of the archive. */
export async function changeSegment(
  tx: Sql,
  workspaceId: string,
  id: string,
  change: { name?: string | undefined; filter?: ProspectFilter | undefined; archived?: boolean | undefined },
  actor: Actor,
  expected?: Expected,
): Promise<Segment> {
  if (change.filter) refuseEverybody(change.filter)
  await tx.query('SELECT FROM segments WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE', [workspaceId, id])
  const current = await loadSegment(tx, workspaceId, id)
  if (change.archived === undefined) refuseArchived('segment', current)
  refuseStale(expected, current.version)
  const archived = change.archived ?? current.archivedAt !== null
  const isMoved = archived !== (current.archivedAt !== null)
  if (!isMoved && change.name === undefined && change.filter === undefined) return current
  const { rows } = await tx
    .query<Segment>(
      `UPDATE segments SET name = $3, filter = $4, updated_at = app_now(),
         archived_at = CASE WHEN $5 THEN coalesce(archived_at, app_now()) END
       WHERE workspace_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [workspaceId, id, change.name ?? current.name, change.filter ?? current.filter, archived],
    )
    .catch((error: unknown) => {
      throw error instanceof Error && 'constraint' in error && error.constraint === 'segments_name_key'
        ? nameTaken()
        : error
    })
  if (!rows[0]) throw notFound()
  if (isMoved)
    await recordAudit(tx, workspaceId, {
      action: archived ? 'segment.archived' : 'segment.restored',
      actor,
      target: { kind: 'segment', id, name: rows[0].name },
    })
  return rows[0]
}

/** A segment of everybody would say nothing, and enrol everybody by a slip. */
function refuseEverybody(filter: ProspectFilter): void {
  if (Object.values(filter).some((value) => value !== undefined)) return
  throw new PublicError(400, 'invalid-input', 'A segment needs at least one condition.', {
    fields: [{ path: 'filter', message: 'At least one condition is needed.' }],
  })
}

const nameTaken = () => new PublicError(409, 'name-taken', 'There is a segment of this name already. Choose another.')
