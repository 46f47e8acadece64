import type { Sql } from '#lib/platform/database.ts'
import { readAddress } from './address.ts'
import type { HashAddress } from './address-hash.ts'

/** How a program names a person: by id, or by an address that they have or had. */
export type Named = { prospectId?: string | undefined; email?: string | undefined }

type Found = { id: string; mergedIntoId: string | null; isErased: boolean }

/**
 * Who each of these is: the one that they were merged into, where they were. In the order given; undefined for whom nobody
 * knows here, or whose data was erased. They stay who they are until the transaction ends: who merges or erases one waits.
 */
export async function whoAre(
  tx: Sql,
  workspaceId: string,
  hash: HashAddress,
  named: readonly Named[],
): Promise<(string | undefined)[]> {
  const hashes = named.map(({ email }) => {
    const reading = email === undefined ? undefined : readAddress(email)
    return reading?.ok ? hash(reading.address).toString('hex') : undefined
  })
  const owners = await ownersOf(
    tx,
    workspaceId,
    hashes.flatMap((one) => one ?? []),
  )
  const wanted = named.map(({ prospectId }, index) => prospectId ?? owners.get(hashes[index] ?? ''))
  const held = await hold(
    tx,
    workspaceId,
    wanted.flatMap((id) => id ?? []),
  )
  return wanted.map((id) => {
    const found = held.get(id ?? '')
    const person = found?.mergedIntoId ? held.get(found.mergedIntoId) : found
    return person && !person.isErased ? person.id : undefined
  })
}

async function ownersOf(tx: Sql, workspaceId: string, hashes: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ hash: string; id: string }>(
    `SELECT encode(email_hash, 'hex') AS hash, id FROM prospects
     WHERE workspace_id = $1 AND email_hash IN (SELECT decode(given, 'hex') FROM unnest($2::text[]) AS given)
     UNION ALL SELECT encode(email_hash, 'hex'), prospect_id FROM former_addresses
     WHERE workspace_id = $1 AND email_hash IN (SELECT decode(given, 'hex') FROM unnest($2::text[]) AS given)`,
    [workspaceId, hashes],
  )
  return new Map(rows.map(({ hash, id }) => [hash, id]))
}

/** In share mode and by id, like the mark. A merge that was waited for has made another of them: it is held as well. */
async function hold(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<Map<string, Found>> {
  let wanted = [...new Set(ids)]
  for (;;) {
    const { rows } = await tx.query<Found>(
      `SELECT id, merged_into_id AS "mergedIntoId", erased_at IS NOT NULL AS "isErased" FROM prospects
       WHERE workspace_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR SHARE`,
      [workspaceId, wanted],
    )
    const held = new Map(rows.map((row) => [row.id, row]))
    const more = rows.flatMap(({ mergedIntoId }) => (mergedIntoId && !held.has(mergedIntoId) ? [mergedIntoId] : []))
    if (more.length === 0) return held
    wanted = [...new Set([...wanted, ...more])]
  }
}

/** This one and all who were merged into it: they are one person. */
export async function idsOfPerson(sql: Sql, workspaceId: string, prospectId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM prospects WHERE workspace_id = $1 AND (id = $2 OR merged_into_id = $2)',
    [workspaceId, prospectId],
  )
  return rows.map(({ id }) => id)
}
