import type { Sql } from '#lib/platform/database.ts'

export const HAS_ANOTHER_NOW = 'This address belongs to a prospect that has another one now.'

/** The prospect whose address this was before. Postgres writes it down with every change, and gives it to nobody else. */
export async function formerOwner(sql: Sql, workspaceId: string, emailHash: Buffer): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT prospect_id AS id FROM former_addresses WHERE workspace_id = $1 AND email_hash = $2',
    [workspaceId, emailHash],
  )
  return rows[0]?.id
}

/** What was personal goes; by their hash they go on finding the same person. */
export async function blankFormerAddresses(tx: Sql, prospectIds: readonly string[]): Promise<void> {
  await tx.query('UPDATE former_addresses SET email = NULL WHERE prospect_id = ANY($1::uuid[])', [prospectIds])
}

/** Those that they had before, the last one first; what was erased is not told. */
export async function formerAddressesOf(sql: Sql, prospectId: string): Promise<{ email: string; leftAt: Date }[]> {
  const { rows } = await sql.query<{ email: string; leftAt: Date }>(
    `SELECT email, left_at AS "leftAt" FROM former_addresses
     WHERE prospect_id = $1 AND email IS NOT NULL ORDER BY left_at DESC, email`,
    [prospectId],
  )
  return rows
}

/** Those that they have, and those that they had. */
export async function addressesOf(sql: Sql, prospectIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ email: string }>(
    `SELECT email FROM prospects WHERE id = ANY($1::uuid[]) AND email IS NOT NULL
     UNION SELECT email FROM former_addresses WHERE prospect_id = ANY($1::uuid[]) AND email IS NOT NULL`,
    [prospectIds],
  )
  return rows.map(({ email }) => email)
}
