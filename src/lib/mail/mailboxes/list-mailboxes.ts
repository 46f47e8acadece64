import { listMailboxes, loadMailbox, type Mailbox } from '#lib/email-scheduler/mailboxes/mailbox.ts'
import { reasonInParts } from '#lib/email-scheduler/outcome.ts'
import { type MailboxOutlook, readMailboxOutlooks } from '#lib/email-scheduler/read/mailboxes-today.ts'
import { type GmailAccount, listGmailAccounts } from '#lib/mail/gmail/gmail-account.ts'
import { abilitiesOf } from '#lib/mail/gmail/scopes.ts'
import { readSmtpSettings, type SmtpSettings } from '#lib/mail/smtp/smtp-settings.ts'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { ArchivedChoice } from '#lib/platform/rows/archived.ts'

export type ConnectedMailbox = Mailbox & {
  trouble: { sentence: string; providerText: string | null } | null
  smtp: SmtpSettings | null
  /** Of a Gmail mailbox that is connected to its account: how it sends, and whether it can read what it sent. */
  gmail: { sends: 'drafts' | 'directly'; readsSent: boolean } | null
}

type WithOutlook = ConnectedMailbox & { today: Omit<MailboxOutlook, 'next'>; next: MailboxOutlook['next'] }

export async function listWithOutlook(sql: Sql, workspaceId: string, archived: ArchivedChoice): Promise<WithOutlook[]> {
  const mailboxes = await listMailboxes(sql, workspaceId, archived)
  const outlooks = await readMailboxOutlooks(sql, workspaceId)
  const connected = await withSettings(sql, workspaceId, mailboxes)
  return connected.flatMap((mailbox) => {
    const outlook = outlooks.get(mailbox.id)
    if (!outlook) return []
    const { next, ...today } = outlook
    return [{ ...mailbox, today, next }]
  })
}

export async function readConnected(sql: Sql, workspaceId: string, id: string): Promise<ConnectedMailbox> {
  const [mailbox] = await withSettings(sql, workspaceId, [await loadMailbox(sql, workspaceId, id)])
  if (!mailbox) throw notFound()
  return mailbox
}

/** Mailboxes with where they are; never with a password. */
async function withSettings(sql: Sql, workspaceId: string, mailboxes: readonly Mailbox[]): Promise<ConnectedMailbox[]> {
  const settings = await readSmtpSettings(sql, workspaceId)
  const accounts = mailboxes.some(({ kind }) => kind === 'GMAIL')
    ? await listGmailAccounts(sql, workspaceId)
    : new Map()
  return mailboxes.map((mailbox) => {
    const reason = mailbox.stoppedReason ?? mailbox.deferredReason
    const trouble = reason === null ? null : reasonInParts(reason)
    if (mailbox.kind === 'GMAIL') return { ...mailbox, trouble, smtp: null, gmail: gmailOf(accounts.get(mailbox.id)) }
    const smtp = settings.get(mailbox.id)
    if (!smtp) return { ...mailbox, trouble, smtp: null, gmail: null }
    const { host, port, security, username } = smtp
    return { ...mailbox, trouble, smtp: { host, port, security, username }, gmail: null }
  })
}

function gmailOf(account: Pick<GmailAccount, 'scopes' | 'fenceProvenAt'> | undefined): ConnectedMailbox['gmail'] {
  if (!account) return null
  const { draft, read } = abilitiesOf(account.scopes)
  return { sends: draft && account.fenceProvenAt !== null ? 'drafts' : 'directly', readsSent: read }
}
