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
  const { rows } = await sql.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p
     WHERE p.workspace_id = $1 AND p.erased_at IS NULL AND p.merged_into_id IS NULL
       AND ${filter.state ? WHERE[filter.state] : 'p.archived_at IS NULL'}
       AND ($2::uuid IS NULL OR p.id < $2)
       AND ($3::uuid IS NULL OR EXISTS (SELECT FROM list_members m WHERE m.list_id = $3 AND m.prospect_id = p.id))
       AND ($4::text IS NULL
         OR position(lower($4) IN lower(concat_ws(' ', p.email, p.first_name, p.last_name, p.company))) > 0)
     ORDER BY p.id DESC LIMIT $5`,
    [workspaceId, page.cursor ?? null, filter.listId ?? null, filter.search?.normalize('NFC') ?? null, page.limit + 1],
  )
  const prospects = rows.slice(0, page.limit)
  return { prospects, nextCursor: rows.length > page.limit ? (prospects.at(-1)?.id ?? null) : null }
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
