import { readAddress } from '#lib/audience/address.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { generateTransactionalKey } from '#lib/email-scheduler/idempotency.ts'
import { ensureSystemMailbox } from '#lib/email-scheduler/mailboxes/system-mailbox-row.ts'
import { cancelOutdated } from '#lib/email-scheduler/transactional/cancel-outdated.ts'
import type { EmailResult } from '#lib/email-scheduler/transactional/email-result.ts'
import { emptyCopies } from '#lib/email-scheduler/transactional/empty-copies.ts'
import { readEmails } from '#lib/email-scheduler/transactional/read-emails.ts'
import { storeEmails } from '#lib/email-scheduler/transactional/store-emails.ts'
import type { Deadline } from '#lib/mail/deadline.ts'
import { messageIdOf } from '#lib/mail/message/headers.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { ensureSystemWorkspace, SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'
import { type Outbox, waitWithin } from './outbox.ts'

/** A mail of the product's own; its links are secrets. */
export type ProductMail = { to: string; subject: string; text: string; html: string }

/** In the queue: what remains is to hand it over. */
export type StoredMail = { id: string; mailboxId: string }

/**
 * Puts a mail of the product's own into the queue, in the transaction of what it tells of: neither is there without the
 * other. Undefined for what is no address.
 */
export async function storeProductMail(tx: Sql, from: string, mail: ProductMail): Promise<StoredMail | undefined> {
  const content = productMailContent(from, mail, await appNow(tx))
  if (!content) return undefined
  await ensureSystemWorkspace(tx)
  const mailboxId = await ensureSystemMailbox(tx, SYSTEM_WORKSPACE_ID, from)
  const id = newId()
  const idempotencyKey = generateTransactionalKey(SYSTEM_WORKSPACE_ID, id)
  const messageId = messageIdOf(idempotencyKey, from.slice(from.lastIndexOf('@') + 1))
  const localDate = content.date.toISOString().slice(0, 10)
  const kept = { workspaceId: SYSTEM_WORKSPACE_ID, mailboxId, idempotencyKey, recipients: [], sendAt: null, localDate }
  await storeEmails(tx, [{ id, content: { ...content, messageId }, ...kept }])
  return { id, mailboxId }
}

/** As it goes out, with a Message-ID of its own. Undefined for what is no address. */
export function productMailContent(from: string, mail: ProductMail, now: Date): EmailContent | undefined {
  const reading = readAddress(mail.to)
  if (!reading.ok) return undefined
  return {
    from: { name: 'Sendonce', address: from },
    to: { name: '', address: reading.address },
    ...{ subject: mail.subject, text: mail.text, html: mail.html, date: now },
    messageId: messageIdOf(newId(), from.slice(from.lastIndexOf('@') + 1)),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** Hands it over at once, and answers what became of it by then; a tick goes on with what did not go. */
export async function sendProductMail(
  sql: Sql,
  outbox: Outbox,
  { id, mailboxId }: StoredMail,
  within: Deadline,
): Promise<EmailResult> {
  const { rest } = await outbox.handOver(mailboxId, [id], within)
  await waitWithin(rest, within)
  const email = (await readEmails(sql, SYSTEM_WORKSPACE_ID, [id])).get(id)
  // With those that a tick has sent since the last mail.
  await emptyCopies(sql, SYSTEM_WORKSPACE_ID)
  return email?.result ?? 'queued'
}

/** What has become of mails by now, by id. */
export async function readProductMails(sql: Sql, ids: readonly string[]): Promise<Map<string, EmailResult>> {
  const emails = await readEmails(sql, SYSTEM_WORKSPACE_ID, ids)
  return new Map([...emails].map(([id, { result }]) => [id, result]))
}

/** Where it still waits: a newer one took its place, or its link no longer works. */
export async function withdrawProductMail(tx: Sql, id: string): Promise<void> {
  await cancelOutdated(tx, SYSTEM_WORKSPACE_ID, id)
}
