import type { Sql } from '#lib/platform/database.ts'
import type { AuditAction } from './audit.ts'

/** What a person did with one email. From where is not told: that is for the audit log, and for admins. */
export type EmailAct = { at: Date; byEmail: string; action: AuditAction }

/** Newest first; from an index of what was done to emails, however long the log. */
export async function listEmailActs(
  sql: Sql,
  workspaceId: string,
  emailId: string,
  limit: number,
): Promise<EmailAct[]> {
  const { rows } = await sql.query<EmailAct>(
    `SELECT at, actor_email AS "byEmail", action FROM audit_log
     WHERE workspace_id = $1 AND target_kind = 'email' AND target_id = $2::text ORDER BY id DESC LIMIT $3`,
    [workspaceId, emailId, limit],
  )
  return rows
}
