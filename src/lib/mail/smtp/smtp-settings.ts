import type { Sql } from '#lib/platform/database.ts'
import type { CredentialPlace } from '#lib/tenancy/credentials/credentials.ts'
import type { SmtpSecurity } from './smtp-server.ts'

/** Where an SMTP mailbox is; its password is kept apart. */
export type SmtpSettings = { host: string; port: number; security: SmtpSecurity; username: string | null }

export function passwordOf(workspaceId: string, mailboxId: string): CredentialPlace {
  return { workspaceId, ownerKind: 'mailbox', ownerId: mailboxId, field: 'smtp-password' }
}

export async function readSmtpSettings(
  sql: Sql,
  workspaceId: string,
): Promise<ReadonlyMap<string, SmtpSettings & { updatedAt: Date }>> {
  const { rows } = await sql.query<SmtpSettings & { mailboxId: string; updatedAt: Date }>(
    `SELECT mailbox_id AS "mailboxId", host, port, security, username, updated_at AS "updatedAt"
     FROM smtp_settings WHERE workspace_id = $1`,
    [workspaceId],
  )
  return new Map(rows.map(({ mailboxId, ...settings }) => [mailboxId, settings]))
}

/** Also where only the password changes: `updated_at` is how a test knows what it tested. */
export async function saveSmtpSettings(
  tx: Sql,
  workspaceId: string,
  mailboxId: string,
  { host, port, security, username }: SmtpSettings,
): Promise<void> {
  await tx.query(
    `INSERT INTO smtp_settings (mailbox_id, workspace_id, host, port, security, username, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, app_now())
     ON CONFLICT (mailbox_id) DO UPDATE SET host = excluded.host, port = excluded.port, security = excluded.security,
       username = excluded.username, updated_at = greatest(excluded.updated_at, smtp_settings.updated_at + interval '1 millisecond')`,
    [mailboxId, workspaceId, host, port, security, username],
  )
}
