import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { PROSPECT_COLUMNS, type Prospect } from './prospect.ts'
import { matching, type ProspectFilter } from './prospect-filter.ts'

export type ProspectPage = { prospects: Prospect[]; nextCursor: string | null }

type Page = {
  /** The last id of the page before. */
  cursor?: string | undefined
  /** The last id that belongs to this page: one that was read before is read again in the same bounds. */
  untilId?: string | undefined
  limit: number
}

/** Newest first; the cursor is the last id seen, so that what is added since then shifts no page. */
export async function listProspects(
  sql: Sql,
  workspaceId: string,
  filter: ProspectFilter,
  { cursor, untilId, limit }: Page,
): Promise<ProspectPage> {
  const { where, values, add } = matching(workspaceId, filter)
  const after = cursor ? `AND p.id < ${add(cursor)}` : ''
  const until = untilId ? `AND p.id >= ${add(untilId)}` : ''
  const { rows } = await sql.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE ${where} ${after} ${until}
     ORDER BY p.id DESC LIMIT ${add(limit + 1)}`,
    values,
  )
  const prospects = rows.slice(0, limit)
  return { prospects, nextCursor: rows.length > limit ? (prospects.at(-1)?.id ?? null) : null }
}

/** How many match, all of them counted. */
export async function countProspects(sql: Sql, workspaceId: string, filter: ProspectFilter): Promise<number> {
  const { where, values } = matching(workspaceId, filter, 'all')
  const { rows } = await sql.query<{ count: number }>(`SELECT count(*) FROM prospects p WHERE ${where}`, values)
  return rows[0]?.count ?? 0
}

/** The ids of the same, oldest first: for work through all of them. */
export async function prospectIdsAfter(
  sql: Sql,
  workspaceId: string,
  filter: ProspectFilter,
  afterId: string | null,
  limit: number,
): Promise<string[]> {
  const { where, values, add } = matching(workspaceId, filter)
  const after = afterId ? `AND p.id > ${add(afterId)}` : ''
  const { rows } = await sql.query<{ id: string }>(
    `SELECT p.id FROM prospects p WHERE ${where} ${after} ORDER BY p.id LIMIT ${add(limit)}`,
    values,
  )
  return rows.map(({ id }) => id)
}

/** A tombstone is found by its id: who was merged says into whom. */
export async function loadProspect(sql: Sql, workspaceId: string, id: string): Promise<Prospect> {
  const { rows } = await sql.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE p.workspace_id = $1 AND p.id = $2`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

export async function listsOf(sql: Sql, prospectId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql.query<{ id: string; name: string }>(
    `SELECT l.id, l.name FROM list_members m JOIN prospect_lists l ON l.id = m.list_id
     WHERE m.prospect_id = $1 AND l.archived_at IS NULL ORDER BY lower(l.name), l.id`,
    [prospectId],
  )
  return rows
}
