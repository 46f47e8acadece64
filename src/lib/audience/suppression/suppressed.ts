import { withParents } from '#lib/audience/address.ts'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { amongIds, plainArray } from '#lib/platform/sql-array.ts'

export type SuppressedBy = 'ADDRESS' | 'DOMAIN'

/**
 * Which of these normalised addresses are suppressed, and whether it is the address itself or its domain. A suppressed
 * domain holds for its subdomains too. One statement, however many are asked for.
 */
export async function suppressedAmong(
  sql: Sql,
  workspaceId: string,
  hash: HashAddress,
  addresses: readonly string[],
): Promise<Map<string, SuppressedBy>> {
  const hashes = new Map<string, Buffer>()
  const candidates = new Map(addresses.map((address) => [address, candidatesOf(address)]))
  for (const value of [...candidates.values()].flat()) if (!hashes.has(value)) hashes.set(value, hash(value))
  if (hashes.size === 0) return new Map()
  const { rows } = await sql.query<{ hash: string }>(
    `SELECT encode(value_hash, 'hex') AS hash FROM suppressions WHERE workspace_id = $1 AND value_hash = ANY($2::bytea[])`,
    [workspaceId, [...hashes.values()]],
  )
  const listed = new Set(rows.map((row) => row.hash))
  const suppressed = new Map<string, SuppressedBy>()
  if (listed.size === 0) return suppressed
  for (const [address, values] of candidates) {
    const value = values.find((candidate) => listed.has(hashes.get(candidate)?.toString('hex') ?? ''))
    if (value) suppressed.set(address, value === address ? 'ADDRESS' : 'DOMAIN')
  }
  return suppressed
}

/**
 * Which of these addresses bounced for good: what is no campaign's mail goes to people who have unsubscribed, and not to an
 * address that does not exist.
 */
export async function bouncedAmong(
  sql: Sql,
  workspaceId: string,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set()
  const { rows } = await sql.query<{ value: string }>(
    prepared(
      `SELECT value FROM suppressions WHERE workspace_id = $1 AND kind = 'ADDRESS' AND source = 'BOUNCE' AND value = ANY($2::text[])`,
    ),
    [workspaceId, addresses],
  )
  return new Set(rows.map(({ value }) => value))
}

/** The same in a statement that has the address: of a workspace and an address, as SQL has them. */
export const hasBounced = (workspaceId: string, address: string) => `EXISTS (SELECT FROM suppressions s
  WHERE s.workspace_id = ${workspaceId} AND s.kind = 'ADDRESS' AND s.source = 'BOUNCE' AND s.value = ${address})`

function candidatesOf(address: string): string[] {
  return [address, ...withParents(address.slice(address.lastIndexOf('@') + 1))]
}

/**
 * The same, of prospects that are there already: their rows hold the hash, so that no key is needed where emails are
 * planned and handed over. Taking every address apart is most of the work: it is left where no domain is suppressed at all.
 */
export async function suppressedProspects(
  sql: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
): Promise<Map<string, SuppressedBy>> {
  if (prospectIds.length === 0) return new Map()
  const { rows } = await sql.query<{ id: string; kind: SuppressedBy }>(
    prepared(`SELECT DISTINCT ON (p.id) p.id, s.kind
     FROM prospects p
     CROSS JOIN LATERAL (
       SELECT kind FROM suppressions WHERE workspace_id = p.workspace_id AND value_hash = p.email_hash
       UNION ALL
       SELECT d.kind
       FROM string_to_array(split_part(p.email, '@', 2), '.') AS labels
       CROSS JOIN generate_series(1, cardinality(labels) - 1) AS first
       JOIN suppressions d ON d.workspace_id = p.workspace_id AND d.kind = 'DOMAIN'
         AND d.value = array_to_string(labels[first:], '.')
       WHERE EXISTS (SELECT FROM suppressions WHERE workspace_id = $1 AND kind = 'DOMAIN')
     ) s
     WHERE p.workspace_id = $1 AND p.id = ${amongIds('$2', prospectIds)}
     ORDER BY p.id, s.kind`),
    [workspaceId, plainArray(prospectIds)],
  )
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}
