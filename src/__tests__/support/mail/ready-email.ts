import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { ReadyEmail, WrittenFrom } from '#lib/email-scheduler/send/final-check.ts'
import { SENDER_VERSION } from '#lib/email-scheduler/send/guard-facts.ts'
import type { Sql } from '#lib/platform/database.ts'

/** A claimed email with something to hand over, written from what stands now. */
export async function readyFrom(sql: Sql, email: ClaimedEmail): Promise<ReadyEmail> {
  const { rows } = await sql.query<WrittenFrom & { email: string }>(
    `SELECT p.email, p.xmin::text AS prospect, s.xmin::text AS sequence, ${SENDER_VERSION} AS sender
     FROM prospects p, sequences s, mailboxes m WHERE p.id = $1 AND s.id = $2 AND m.id = $3`,
    [email.prospectId, email.sequenceId, email.mailboxId],
  )
  const [{ email: address, ...from } = { email: '', prospect: '', sequence: '', sender: '' }] = rows
  const content: EmailContent = {
    from: { name: 'Ann', address: 'ann@acme.test' },
    to: { name: '', address },
    subject: 'Hello',
    text: 'Hello',
    html: '',
    messageId: `<${email.id}@acme.test>`,
    date: new Date('2026-11-18T10:00:00Z'),
    headers: {},
  }
  return { email, content, origin: { kind: 'written', from } }
}
