import { STATUSES } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'

/** Frozen before any attempt: only transactional emails have such a copy. Empty where the recipient was erased. */
const COPIES = `email_contents c WHERE c.workspace_id = $1 AND c.content_token = 0`
const TEXT = `lower(c.to_address || ' ' || c.to_name)`

/** As with people: what nearly all have is found among the newest, and the index of parts is for the rest. */
const NEWEST = 2_000
const ADDRESSES_MAX = 20

/**
 * Transactional emails, newest first, by a part of the address or name of whom they are for, or by the beginning of any
 * address that they went to, those of blind copies too; a whole address finds at once.
 */
export async function findTransactional(
  sql: Sql,
  workspaceId: string,
  search: string,
  most: number,
): Promise<{ ids: string[]; isCut: boolean }> {
  const typed = search.toLowerCase().normalize('NFC')
  const exact = await idsTo(sql, workspaceId, [typed], most + 1)
  if (exact.length > 0) return cut(exact, most)
  const addresses = await addressesBeginningWith(sql, workspaceId, typed)
  const begun = await idsTo(sql, workspaceId, addresses.slice(0, ADDRESSES_MAX), most + 1)
  const found = cut([...begun, ...(await findInCopies(sql, workspaceId, typed, most + 1))], most)
  return { ...found, isCut: found.isCut || addresses.length > ADDRESSES_MAX }
}

/** Each once, newest first. */
function cut(ids: readonly string[], most: number) {
  const newest = [...new Set(ids)].sort().reverse()
  return { ids: newest.slice(0, most), isCut: newest.length > most }
}

async function findInCopies(sql: Sql, workspaceId: string, typed: string, limit: number): Promise<string[]> {
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

/** To whom they went or who had a blind copy; the newest of each address. */
const idsTo = (sql: Sql, workspaceId: string, addresses: readonly string[], limit: number) =>
  idsIn(
    sql,
    `SELECT r.email_id AS id FROM unnest($2::text[]) AS found(address) CROSS JOIN LATERAL (
       SELECT email_id FROM email_recipients WHERE workspace_id = $1 AND address = found.address
       ORDER BY email_id DESC LIMIT $3) r`,
    [workspaceId, addresses, limit],
  )

/**
 * From one address to the next along the index, so that a thousand emails to the same one are passed over at once. Addresses
 * are kept in lower case, in the order of their bytes.
 */
async function addressesBeginningWith(sql: Sql, workspaceId: string, typed: string): Promise<string[]> {
  const { rows } = await sql.query<{ address: string }>(
    `WITH RECURSIVE found AS (
      SELECT (SELECT min(address) FROM email_recipients WHERE workspace_id = $1 AND address >= $2) AS address, 1 AS number
      UNION ALL
      SELECT (SELECT min(address) FROM email_recipients WHERE workspace_id = $1 AND address > found.address), number + 1
      FROM found WHERE starts_with(found.address, $2) AND number <= $3)
    SELECT address FROM found WHERE starts_with(address, $2) LIMIT $3`,
    [workspaceId, typed, ADDRESSES_MAX + 1],
  )
  return rows.map(({ address }) => address)
}

async function idsIn(sql: Sql, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(text, values)
  return rows.map(({ id }) => id)
}
