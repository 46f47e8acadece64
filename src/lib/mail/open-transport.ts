import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { tryCredential } from '#lib/tenancy/credentials.ts'
import { openSmtp, type Surroundings } from './open-smtp.ts'
import { refusedWith } from './smtp-refusal.ts'
import { passwordOf, type SmtpSettings } from './smtp-settings.ts'
import type { MailTransport } from './transport.ts'

export type OpenedTransport = { ok: true; transport: MailTransport } | { ok: false; outcome: Refused }

type Row = { workspaceId: string; now: Date } & { [Name in keyof SmtpSettings]: SmtpSettings[Name] | null }

/** The way out of a mailbox, for one tick: settings, password and the server's address are those of this moment. */
export async function openTransport(
  sql: Sql,
  keyring: Keyring,
  mailboxId: string,
  surroundings?: Surroundings,
): Promise<OpenedTransport> {
  const { rows } = await sql.query<Row>(
    `SELECT m.workspace_id AS "workspaceId", app_now() AS now, s.host, s.port, s.security, s.username
     FROM mailboxes m LEFT JOIN smtp_settings s ON s.mailbox_id = m.id AND s.workspace_id = m.workspace_id
     WHERE m.id = $1 AND m.kind = 'SMTP'`,
    [mailboxId],
  )
  const row = rows[0]
  if (!row?.host || row.port === null || row.security === null)
    return { ok: false, outcome: refusedWith('MAILBOX_INCOMPLETE', 'mailbox') }
  const { workspaceId, host, port, security, username } = row
  const password = await tryCredential(sql, keyring, passwordOf(workspaceId, mailboxId))
  if (!password.readable)
    return { ok: false, outcome: refusedWith('MAILBOX_INCOMPLETE', 'mailbox', { reason: UNREADABLE_PASSWORD }) }
  const now = clockFrom(row.now)
  return openSmtp({ host, port, security, username }, password.secret, now, surroundings)
}

export const UNREADABLE_PASSWORD =
  'The password cannot be read: ENCRYPTION_KEYS no longer holds the key it was kept under. Enter it again.'

/** The database's clock, carried on from a reading. */
export function clockFrom(read: Date): () => Date {
  const aheadMs = read.getTime() - Date.now()
  return () => new Date(Date.now() + aheadMs)
}
