import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { type ArchivedChoice, archivedSql, refuseArchived } from '#lib/platform/rows/archived.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { peopleOf } from './people-counts.ts'

export type ProspectList = {
  id: string
  name: string
  members: number
  version: number
  archivedAt: Date | null
  createdAt: Date
}

export const LIST_MEMBERS_AT_ONCE_MAX = 10_000

const COLUMNS = `l.id, l.name, l.version, l.archived_at AS "archivedAt", l.created_at AS "createdAt"`

/**
 * All that is kept count of, less who is archived, since they are in no list that is shown. Those few are found through an
 * index of who is hidden, by one statement for all lists: to look up each member of each list would read every person once
 * for each list. `which` narrows the lists, $1 is the workspace.
 */
const archivedMembers = (which: string) => `archived AS MATERIALIZED (
  SELECT m.list_id, count(*) AS members FROM prospects p JOIN list_members m ON m.prospect_id = p.id
  WHERE p.workspace_id = $1 AND p.archived_at IS NOT NULL AND ${which} GROUP BY 1)`
const MEMBERS = `${peopleOf('l.id')}
  - coalesce((SELECT a.members FROM archived a WHERE a.list_id = l.id), 0) AS members`

export async function listLists(
  sql: Sql,
  workspaceId: string,
  { archived }: { archived: ArchivedChoice },
): Promise<ProspectList[]> {
  const { rows } = await sql.query<ProspectList>(
    `WITH ${archivedMembers('true')} SELECT ${COLUMNS}, ${MEMBERS} FROM prospect_lists l
     WHERE l.workspace_id = $1 AND ${archivedSql('l.archived_at', archived)}
     ORDER BY lower(l.name), l.id`,
    [workspaceId],
  )
  return rows
}

export async function loadList(sql: Sql, workspaceId: string, id: string): Promise<ProspectList> {
  const { rows } = await sql.query<ProspectList>(
    `WITH ${archivedMembers('m.list_id = $2')}
     SELECT ${COLUMNS}, ${MEMBERS} FROM prospect_lists l WHERE l.workspace_id = $1 AND l.id = $2`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

/** That it is the workspace's and may be used, without counting who is in it. */
export async function refuseUnusableList(sql: Sql, workspaceId: string, id: string): Promise<void> {
  const { rows } = await sql.query<Pick<ProspectList, 'id' | 'archivedAt'>>(
    'SELECT id, archived_at AS "archivedAt" FROM prospect_lists WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  refuseArchived('list', rows[0])
}

export async function createList(sql: Sql, workspaceId: string, name: string): Promise<ProspectList> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO prospect_lists (id, workspace_id, name, created_at, updated_at) VALUES ($1, $2, $3, app_now(), app_now())
     ON CONFLICT (workspace_id, lower(name)) WHERE archived_at IS NULL DO NOTHING RETURNING id`,
    [newId(), workspaceId, name],
  )
  if (!rows[0]) throw nameTaken()
  return loadList(sql, workspaceId, rows[0].id)
}

/** Renames, archives, or takes out of the archive. */
export async function changeList(
  tx: Sql,
  workspaceId: string,
  id: string,
  change: { name?: string; archived?: boolean },
  actor: Actor,
  expected?: Expected,
): Promise<ProspectList> {
  await tx.query('SELECT FROM prospect_lists WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE', [workspaceId, id])
  const current = await loadList(tx, workspaceId, id)
  if (change.archived === undefined) refuseArchived('list', current)
  refuseStale(expected, current.version)
  const name = change.name ?? current.name
  const archived = change.archived ?? current.archivedAt !== null
  const isMoved = archived !== (current.archivedAt !== null)
  if (name === current.name && !isMoved) return current
  try {
    await tx.query(
      `UPDATE prospect_lists SET name = $3, updated_at = app_now(),
         archived_at = CASE WHEN $4 THEN coalesce(archived_at, app_now()) END
       WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, name, archived],
    )
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'prospect_lists_name_key')
      throw isMoved ? nameTakenSince() : nameTaken()
    throw error
  }
  if (isMoved)
    await recordAudit(tx, workspaceId, {
      action: archived ? 'list.archived' : 'list.restored',
      actor,
      target: { kind: 'list', id, name },
    })
  return loadList(tx, workspaceId, id)
}

/** In the order of their ids, each once however many of the lists they are in. For lists known to be the workspace's. */
export async function memberIdsAfter(
  sql: Sql,
  listIds: readonly string[],
  afterId: string | null,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT DISTINCT m.prospect_id AS id FROM unnest($1::uuid[]) AS list(id) CROSS JOIN LATERAL (
       SELECT prospect_id FROM list_members WHERE list_id = list.id AND ($2::uuid IS NULL OR prospect_id > $2)
       ORDER BY prospect_id LIMIT $3) m
     ORDER BY 1 LIMIT $3`,
    [listIds, afterId, limit],
  )
  return rows.map(({ id }) => id)
}

/** Those of the workspace, and of them those that were not in it. A tombstone joins nothing. */
export async function addMembers(
  tx: Sql,
  workspaceId: string,
  listId: string,
  prospectIds: readonly string[],
): Promise<number> {
  await refuseUnusableList(tx, workspaceId, listId)
  return joinList(tx, workspaceId, listId, prospectIds)
}

/** For a list that is known to be the workspace's. Locked by id, like everybody does who locks several prospects. */
export async function joinList(
  tx: Sql,
  workspaceId: string,
  listId: string,
  prospectIds: readonly string[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO list_members (list_id, prospect_id)
     SELECT $2, id FROM prospects
     WHERE workspace_id = $1 AND id = ANY($3::uuid[]) AND erased_at IS NULL AND merged_into_id IS NULL
     ORDER BY id FOR SHARE
     ON CONFLICT DO NOTHING`,
    [workspaceId, listId, prospectIds],
  )
  return rowCount ?? 0
}

export async function removeMembers(
  tx: Sql,
  workspaceId: string,
  listId: string,
  prospectIds: readonly string[],
): Promise<number> {
  await refuseUnusableList(tx, workspaceId, listId)
  const { rowCount } = await tx.query('DELETE FROM list_members WHERE list_id = $1 AND prospect_id = ANY($2::uuid[])', [
    listId,
    prospectIds,
  ])
  return rowCount ?? 0
}

const nameTakenSince = () =>
  new PublicError(
    409,
    'name-taken',
    'Another list has got this name since it was archived. Restore it under another one.',
  )

const nameTaken = () => new PublicError(409, 'name-taken', 'There is a list of this name already. Choose another.')
