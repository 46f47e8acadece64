import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { SuppressionSource } from './suppressions.ts'

/** To be taken before any other lock: the mark holds the same rows, so that an answered suppression holds for it. */
export async function lockSuppressionsOf(tx: Sql, emailIds: readonly string[]): Promise<void> {
  await tx.query(
    `SELECT FROM sending_settings WHERE workspace_id IN (SELECT workspace_id FROM scheduled_emails WHERE id = ANY($1::uuid[]))
     ORDER BY workspace_id FOR NO KEY UPDATE`,
    [emailIds],
  )
}

/** Their address does not exist: it is on the suppression list from now on, by the hash that the prospect's row keeps. */
export async function suppressBouncedProspects(
  tx: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
): Promise<void> {
  const { rows } = await tx.query<{ email: string | null; email_hash: Buffer }>(
    `UPDATE prospects SET bounced_at = coalesce(bounced_at, app_now()), updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) RETURNING email, email_hash`,
    [workspaceId, prospectIds],
  )
  await tx.query(
    `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, reason, source)
     SELECT b.id, $1, 'ADDRESS', b.email, b.hash, 'The recipient’s server says that the address does not exist.',
       '${'BOUNCE' satisfies SuppressionSource}'
     FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS b(id, email, hash)
     ON CONFLICT (workspace_id, value_hash) DO NOTHING`,
    [workspaceId, rows.map(newId), rows.map(({ email }) => email), rows.map(({ email_hash }) => email_hash)],
  )
}
