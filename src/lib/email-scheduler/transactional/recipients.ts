import { bouncedAmong } from '#lib/audience/suppression/suppressed.ts'
import type { Sql } from '#lib/platform/database.ts'

type Copied = { id: string; workspaceId: string }

/**
 * Who gets these emails as a blind copy. An address that has bounced since it was asked for is left out: it keeps nobody else
 * from getting the email.
 */
export async function readBlindCopies(sql: Sql, emails: readonly Copied[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (emails.length === 0) return found
  const { rows } = await sql.query<Copied & { address: string }>(
    `SELECT email_id AS id, workspace_id AS "workspaceId", address FROM email_recipients
     WHERE email_id = ANY($1::uuid[]) AND position > 0 AND address IS NOT NULL ORDER BY email_id, position`,
    [emails.map(({ id }) => id)],
  )
  for (const [workspaceId, copies] of Map.groupBy(rows, (row) => row.workspaceId)) {
    const bounced = await bouncedAmong(
      sql,
      workspaceId,
      copies.map(({ address }) => address),
    )
    for (const { id, address } of copies) if (!bounced.has(address)) found.set(id, [...(found.get(id) ?? []), address])
  }
  return found
}
