import type { Sql } from '#lib/platform/database.ts'
import { readAddress } from './address.ts'
import type { HashAddress } from './address-hash.ts'

/**
 * People of whom a part of the address or name is known, whatever their state, with those who were merged into them. A
 * whole address is found by its hash: at once, however many people there are.
 */
export async function findProspectIds(
  sql: Sql,
  workspaceId: string,
  search: string,
  limit: number,
  hash: HashAddress,
): Promise<string[]> {
  const reading = readAddress(search)
  const exact = reading.ok ? await byHash(sql, workspaceId, hash(reading.address)) : []
  const found = exact.length > 0 ? exact : await byPart(sql, workspaceId, search, limit)
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM prospects WHERE workspace_id = $1 AND merged_into_id = ANY($2::uuid[]) LIMIT $3',
    [workspaceId, found, limit],
  )
  return [...found, ...rows.map(({ id }) => id)]
}

async function byHash(sql: Sql, workspaceId: string, hash: Buffer): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM prospects WHERE workspace_id = $1 AND email_hash = $2
     UNION SELECT prospect_id FROM former_addresses WHERE workspace_id = $1 AND email_hash = $2`,
    [workspaceId, hash],
  )
  return rows.map(({ id }) => id)
}

const SEARCHED = `p.workspace_id = $1 AND p.erased_at IS NULL AND p.merged_into_id IS NULL`
const TEXT = `lower(coalesce(p.email, '') || ' ' || coalesce(p.first_name, '') || ' ' || coalesce(p.last_name, '') || ' ' || coalesce(p.company, ''))`

/** What nearly everybody has is found among the newest; the index of parts, which would gather all of them first, is for the rest. */
const NEWEST = 2_000

async function byPart(sql: Sql, workspaceId: string, search: string, limit: number): Promise<string[]> {
  const values = [workspaceId, `%${search.normalize('NFC').replaceAll(/[\\%_]/g, '\\$&')}%`, limit]
  const newest = await sql.query<{ id: string }>(
    `SELECT id FROM (SELECT p.id, ${TEXT} AS text FROM prospects p WHERE ${SEARCHED} ORDER BY p.id DESC LIMIT ${NEWEST}) p
     WHERE text LIKE lower($2) LIMIT $3`,
    values,
  )
  if (newest.rows.length >= limit) return newest.rows.map(({ id }) => id)
  const { rows } = await sql.query<{ id: string }>(
    `SELECT p.id FROM prospects p WHERE ${SEARCHED} AND ${TEXT} LIKE lower($2) LIMIT $3`,
    values,
  )
  return rows.map(({ id }) => id)
}
