import type pg from 'pg'
import type { OpenedTransport, Provider } from '#lib/mail/provider.ts'
import { openSmtp, type Surroundings } from '#lib/mail/smtp/open-smtp.ts'
import { openSystemMailbox } from '#lib/mail/smtp/open-system-mailbox.ts'
import { refusedWith } from '#lib/mail/smtp/smtp-refusal.ts'
import { passwordOf, type SmtpSettings } from '#lib/mail/smtp/smtp-settings.ts'
import { clockFrom } from '#lib/platform/clock.ts'
import { inSnapshot } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { tryCredential } from '#lib/tenancy/credentials/credentials.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'

/** SMTP as a kind of mailbox. It has no drafts: a server keeps nothing of a message that could be asked for. */
export function smtpProvider(
  pool: pg.Pool,
  keyring: Keyring,
  surroundings?: Surroundings,
  systemUrl?: string,
): Provider {
  return { open: (mailboxId) => openTransport(pool, keyring, mailboxId, surroundings, systemUrl) }
}

type Row = { workspaceId: string; now: Date } & { [Name in keyof SmtpSettings]: SmtpSettings[Name] | null }

/** The way out of a mailbox, for one tick: settings, password and the server's address are those of this moment. */
export async function openTransport(
  pool: pg.Pool,
  keyring: Keyring,
  mailboxId: string,
  surroundings?: Surroundings,
  systemUrl?: string,
): Promise<OpenedTransport> {
  const { row, password } = await readAccess(pool, keyring, mailboxId)
  if (systemUrl && row?.workspaceId === SYSTEM_WORKSPACE_ID) return openSystemMailbox(systemUrl, clockFrom(row.now))
  if (!row?.host || row.port === null || row.security === null)
    return { ok: false, outcome: refusedWith('MAILBOX_INCOMPLETE', 'mailbox') }
  const { host, port, security, username } = row
  if (!password?.readable)
    return {
      ok: false,
      outcome: refusedWith('CREDENTIAL_UNREADABLE', 'mailbox', {
        reason: unreadablePassword(password ?? { isKeyGone: false }),
      }),
    }
  const now = clockFrom(row.now)
  return openSmtp({ host, port, security, username }, password.secret, now, surroundings)
}

export function unreadablePassword({ isKeyGone }: { isKeyGone: boolean }): string {
  return isKeyGone
    ? 'The password cannot be read: ENCRYPTION_KEYS no longer holds the key it was kept under. Enter it again.'
    : 'What is kept as the password cannot be read: it was not kept for this mailbox, or was damaged. Enter it again.'
}

/** Of one moment: a change in between would send the new password to the old server. */
async function readAccess(pool: pg.Pool, keyring: Keyring, mailboxId: string) {
  return inSnapshot(pool, async (tx) => {
    const { rows } = await tx.query<Row>(
      `SELECT m.workspace_id AS "workspaceId", app_now() AS now, s.host, s.port, s.security, s.username
       FROM mailboxes m LEFT JOIN smtp_settings s ON s.mailbox_id = m.id AND s.workspace_id = m.workspace_id
       WHERE m.id = $1 AND m.kind = 'SMTP'`,
      [mailboxId],
    )
    const [row] = rows
    return { row, password: row && (await tryCredential(tx, keyring, passwordOf(row.workspaceId, mailboxId))) }
  })
}
