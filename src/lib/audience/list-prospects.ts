import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { PROSPECT_COLUMNS, type Prospect, type ProspectState } from './prospect.ts'

export type ProspectFilter = { search?: string; listId?: string; state?: ProspectState }

export type ProspectPage = { prospects: Prospect[]; nextCursor: string | null }

/** Without a state: everybody who is not archived. Tombstones of erased and merged people are in no list. */
const WHERE: Record<ProspectState, string> = {
  active: `p.archived_at IS NULL AND p.paused_at IS NULL AND p.replied_at IS NULL AND p.bounced_at IS NULL AND p.unsubscribed_at IS NULL`,
  paused: 'p.archived_at IS NULL AND p.paused_at IS NOT NULL',
  replied: 'p.archived_at IS NULL AND p.replied_at IS NOT NULL',
  bounced: 'p.archived_at IS NULL AND p.bounced_at IS NOT NULL',
  unsubscribed: 'p.archived_at IS NULL AND p.unsubscribed_at IS NOT NULL',
  archived: 'p.archived_at IS NOT NULL',
}

/** Newest first; the cursor is the last id seen, so that what is added meanwhile shifts no page. */
export async function listProspects(
  sql: Sql,
  workspaceId: string,
  filter: ProspectFilter,
  page: { cursor?: string; limit: number },
): Promise<ProspectPage> {
  const { where, values } = matching(workspaceId, filter)
  const { rows } = await sql.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE ${where} AND ($4::uuid IS NULL OR p.id < $4)
     ORDER BY p.id DESC LIMIT $5`,
    [...values, page.cursor ?? null, page.limit + 1],
  )
  const prospects = rows.slice(0, page.limit)
  return { prospects, nextCursor: rows.length > page.limit ? (prospects.at(-1)?.id ?? null) : null }
}

/** The ids of the same, oldest first: for whoever works through all of them. */
export async function prospectIdsAfter(
  sql: Sql,
  workspaceId: string,
  filter: ProspectFilter,
  afterId: string | null,
  limit: number,
): Promise<string[]> {
  const { where, values } = matching(workspaceId, filter)
  const { rows } = await sql.query<{ id: string }>(
    `SELECT p.id FROM prospects p WHERE ${where} AND ($4::uuid IS NULL OR p.id > $4) ORDER BY p.id LIMIT $5`,
    [...values, afterId, limit],
  )
  return rows.map(({ id }) => id)
}

/** As prospects_search_idx has it: a part of any word in it is found through its trigrams. */
const SEARCHED = `lower(coalesce(p.email, '') || ' ' || coalesce(p.first_name, '') || ' ' || coalesce(p.last_name, '') || ' ' || coalesce(p.company, ''))`

/** What is not asked for is no part of the statement, so that the planner sees which index serves. Takes $1 to $3. */
export function matching(workspaceId: string, filter: ProspectFilter) {
  const conditions = [
    'p.workspace_id = $1 AND p.erased_at IS NULL AND p.merged_into_id IS NULL',
    filter.state ? WHERE[filter.state] : 'p.archived_at IS NULL',
    filter.listId
      ? 'EXISTS (SELECT FROM list_members m WHERE m.list_id = $2 AND m.prospect_id = p.id)'
      : '$2::uuid IS NULL',
    filter.search ? `${SEARCHED} LIKE lower($3)` : '$3::text IS NULL',
  ]
  const search = filter.search && `%${filter.search.normalize('NFC').replaceAll(/[\\%_]/g, '\\$&')}%`
  return { where: conditions.join(' AND '), values: [workspaceId, filter.listId ?? null, search ?? null] }
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
