import type { EmailResult } from '#lib/email-scheduler/transactional/email-result.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import {
  type ProductMail,
  readProductMails,
  type StoredMail,
  sendProductMail,
  storeProductMail,
  withdrawProductMail,
} from '#lib/outbox/product-mail.ts'
import { database, type Sql } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { log } from '#lib/platform/log.ts'
import { noteInvitationMail, type SentInvitation } from '#lib/tenancy/people/invitations.ts'
import { invitationMail } from '#lib/tenancy/people/mails.ts'
import { outbox } from './outbox.ts'

const OUTCOMES = {
  sent: 'sent',
  queued: 'waits',
  unknown: 'unknown',
  failed: 'not-sent',
  cancelled: 'not-sent',
} as const satisfies Record<EmailResult, string>

/** `waits`: it goes out by itself, once its server can be reached. */
export type SystemMailOutcome = (typeof OUTCOMES)[EmailResult]

/** In the transaction of what it tells of. Undefined where this installation has no mailbox of its own. */
export async function storeSystemMail(tx: Sql, mail: ProductMail): Promise<StoredMail | undefined> {
  const { SYSTEM_MAIL_URL, SYSTEM_MAIL_FROM } = env()
  if (SYSTEM_MAIL_URL && SYSTEM_MAIL_FROM) return storeProductMail(tx, SYSTEM_MAIL_FROM, mail)
  log.error({ subject: mail.subject }, 'a mail was not sent: SYSTEM_MAIL_URL and SYSTEM_MAIL_FROM are not set')
  return undefined
}

/** After that transaction. Why it did not go is for the log; a failure here fails nothing that was done. */
export async function sendStoredMail(stored: StoredMail | undefined): Promise<SystemMailOutcome> {
  if (!stored) return 'not-sent'
  try {
    const result = await sendProductMail(database(), outbox(), stored, new Deadline(env().INLINE_SECONDS * 1_000))
    if (result !== 'sent') log.warn({ emailId: stored.id, result }, 'a mail of the product has not been sent yet')
    return OUTCOMES[result]
  } catch (error) {
    log.error({ error, emailId: stored.id }, 'a mail of the product waits for the next tick')
    return 'waits'
  }
}

/** With the invitation; an older mail of it that still waits goes nowhere, since its link no longer works. */
export async function storeInvitationMail(
  tx: Sql,
  workspaceId: string,
  invitation: SentInvitation,
): Promise<StoredMail | undefined> {
  const mail = await storeSystemMail(tx, invitationMail(env().APP_URL, invitation))
  if (invitation.mailId) await withdrawProductMail(tx, invitation.mailId)
  await noteInvitationMail(tx, workspaceId, invitation.id, mail?.id)
  return mail
}

/** With what has become of its mail by now; without one, none was sent. */
export async function withMailOutcomes<One extends { mailId: string | null }>(
  sql: Sql,
  invitations: readonly One[],
): Promise<(One & { mail: SystemMailOutcome })[]> {
  const results = await readProductMails(
    sql,
    invitations.flatMap(({ mailId }) => mailId ?? []),
  )
  return invitations.map((one) => ({ ...one, mail: OUTCOMES[results.get(one.mailId ?? '') ?? 'failed'] }))
}
