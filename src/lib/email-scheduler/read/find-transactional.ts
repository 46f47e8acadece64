import { STATUSES } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'

/** Frozen before any attempt: only transactional emails have such a copy. Empty where the recipient was erased. */
const COPIES = `email_contents c WHERE c.workspace_id = $1 AND c.content_token = 0`
const TEXT = `lower(c.to_address || ' ' || c.to_name)`

/** As with people: what nearly all have is found among the newest, and the index of parts is for the rest. */
const NEWEST = 2_000

/** Transactional emails, newest first, by a part of the recipient's address or name; a whole address finds at once. */
export async function findTransactional(
  sql: Sql,
  workspaceId: string,
  search: string,
  limit: number,
): Promise<string[]> {
  const typed = search.normalize('NFC')
  const exact = await idsIn(
    sql,
    `SELECT c.email_id AS id FROM ${COPIES} AND lower(c.to_address) = lower($2) ORDER BY c.email_id DESC LIMIT $3`,
    [workspaceId, typed, limit],
  )
  if (exact.length > 0) return exact
  const values = [workspaceId, `%${typed.replaceAll(/[\\%_]/g, '\\$&')}%`, limit]
  const newest = await idsIn(
    sql,
    `SELECT id FROM (
       SELECT e.id, ${TEXT} AS text FROM (
         SELECT of_state.id FROM unnest($4::scheduled_email_status[]) AS s(status) CROSS JOIN LATERAL (
           SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND kind = 'TRANSACTIONAL' AND status = s.status
           ORDER BY id DESC LIMIT ${NEWEST}) of_state
         ORDER BY of_state.id DESC LIMIT ${NEWEST}) e
       JOIN email_contents c ON c.email_id = e.id AND c.content_token = 0) newest
     WHERE text LIKE lower($2) ORDER BY id DESC LIMIT $3`,
    [...values, STATUSES],
  )
  if (newest.length >= limit) return newest
  return idsIn(sql, `SELECT c.email_id AS id FROM ${COPIES} AND ${TEXT} LIKE lower($2) LIMIT $3`, values)
}

async function idsIn(sql: Sql, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(text, values)
  return rows.map(({ id }) => id)
}
