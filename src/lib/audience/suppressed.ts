import type { Sql } from '#lib/platform/database.ts'
import { withParents } from './address.ts'
import type { HashAddress } from './address-hash.ts'

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

function candidatesOf(address: string): string[] {
  return [address, ...withParents(address.slice(address.lastIndexOf('@') + 1))]
}
