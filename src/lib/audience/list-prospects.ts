import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { peopleOf } from './people-counts.ts'
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

const HIDDEN = '(p.archived_at IS NOT NULL OR p.erased_at IS NOT NULL OR p.merged_into_id IS NOT NULL)'

/** Everybody who is shown: all as they are kept count of, less the few who are hidden, from an index of these. */
const COUNT_ALL = `SELECT ${peopleOf('$1')}
  - (SELECT count(*) FROM prospects p WHERE p.workspace_id = $1 AND ${HIDDEN}) AS count`

/** The same of one list, without looking at each of its members. */
const COUNT_OF_LIST = `WITH list AS MATERIALIZED (SELECT id FROM prospect_lists WHERE workspace_id = $1 AND id = $2)
  SELECT ${peopleOf('(SELECT id FROM list)')}
    - (SELECT count(*) FROM prospects p JOIN list_members m ON m.prospect_id = p.id AND m.list_id = (SELECT id FROM list)
       WHERE p.workspace_id = $1 AND ${HIDDEN}) AS count`

/** How many match, all of them counted. */
export async function countProspects(sql: Sql, workspaceId: string, filter: ProspectFilter): Promise<number> {
  const { text, values } = countSql(workspaceId, filter)
  const { rows } = await sql.query<{ count: number }>(text, values)
  return rows[0]?.count ?? 0
}

function countSql(workspaceId: string, filter: ProspectFilter): { text: string; values: unknown[] } {
  const { listId, ...others } = filter
  const isByListAlone = Object.values(others).every((one) => one === undefined)
  if (isByListAlone && listId) return { text: COUNT_OF_LIST, values: [workspaceId, listId] }
  if (isByListAlone) return { text: COUNT_ALL, values: [workspaceId] }
  const { where, values } = matching(workspaceId, filter, 'all')
  return { text: `SELECT count(*) FROM prospects p WHERE ${where}`, values }
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
