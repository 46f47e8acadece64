import { VERBS } from '#lib/email-scheduler/verbs.ts'
import type { Sql } from '#lib/platform/database.ts'
import { AUDIT_ACTIONS, type AuditAction } from '#lib/tenancy/audit/audit.ts'
import { listEmailActs } from '#lib/tenancy/audit/email-acts.ts'

/** What a person did with an email, singly or among many. */
export type EmailDeed = { at: Date; byEmail: string; words: string }

const SHOWN = 50

/** The newest first. */
export async function readDeeds(sql: Sql, workspaceId: string, emailId: string): Promise<EmailDeed[]> {
  const single = await listEmailActs(sql, workspaceId, emailId, SHOWN)
  const { rows: among } = await sql.query<{ at: Date; byEmail: string; action: keyof typeof VERBS }>(
    `SELECT i.at, b.actor ->> 'email' AS "byEmail", b.wish ->> 'action' AS action
     FROM email_bulk_items i JOIN email_bulks b ON b.id = i.bulk_id
     WHERE b.workspace_id = $1 AND i.email_id = $2 AND i.answer = 'done' ORDER BY i.at DESC LIMIT $3`,
    [workspaceId, emailId, SHOWN],
  )
  const said = (action: AuditAction) => AUDIT_ACTIONS[action]
  return [
    ...single.map(({ at, byEmail, action }) => ({ at, byEmail, words: `${said(action)} it` })),
    ...among.map(({ at, byEmail, action }) => ({
      at,
      byEmail,
      words: `${said(VERBS[action].audited)} it with others`,
    })),
  ].sort((one, other) => other.at.getTime() - one.at.getTime())
}
