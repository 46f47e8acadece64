import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { Sql } from '#lib/platform/database.ts'

/** The copy that is frozen before any attempt; those of attempts have the token of their lease. */
const FIRST_COPY = 0

export type NewEmail = {
  id: string
  workspaceId: string
  mailboxId: string
  idempotencyKey: string
  content: EmailContent
  /** By which it is found, and a person erased: whom it is addressed to, then the blind copies. None of a mail that nobody looks for. */
  recipients: readonly string[]
  /** Empty: now, by the database's clock. */
  sendAt: Date | null
  localDate: string
}

/**
 * Puts transactional emails into the queue with what goes out, all of them in one statement. A key that is there already
 * keeps its email: the ids of those that are new are answered.
 */
export async function storeEmails(tx: Sql, emails: readonly NewEmail[]): Promise<Set<string>> {
  const given = emails.map(({ content: { from, to, text, html, messageId, ...content }, ...email }) => ({
    id: email.id,
    workspace_id: email.workspaceId,
    mailbox_id: email.mailboxId,
    idempotency_key: email.idempotencyKey,
    send_at: email.sendAt,
    local_date: email.localDate,
    recipients: email.recipients,
    from_name: from.name,
    from_address: from.address,
    to_name: to.name,
    to_address: to.address,
    body_text: text,
    body_html: html,
    message_id: messageId,
    ...content,
  }))
  const { rows } = await tx.query<{ id: string }>(
    `WITH given AS MATERIALIZED (
       SELECT * FROM json_to_recordset($1) AS g(id uuid, workspace_id uuid, mailbox_id uuid, idempotency_key text, send_at timestamptz,
         local_date date, recipients jsonb, from_name text, from_address text, to_name text, to_address text, subject text, body_text text,
         body_html text, message_id text, date timestamptz, headers jsonb)
     ), stored AS (
       INSERT INTO scheduled_emails (id, workspace_id, kind, mailbox_id, idempotency_key, scheduled_for, local_date, ready_at,
         content_token, updated_at)
       SELECT id, workspace_id, 'TRANSACTIONAL', mailbox_id, idempotency_key, coalesce(send_at, app_now()), local_date,
         coalesce(send_at, app_now()), ${FIRST_COPY}, app_now()
       FROM given ORDER BY idempotency_key
       ON CONFLICT (idempotency_key) DO NOTHING RETURNING id
     ), addressed AS (
       INSERT INTO email_recipients (email_id, position, workspace_id, address)
       SELECT g.id, r.number - 1, g.workspace_id, r.address FROM given g JOIN stored USING (id)
       CROSS JOIN LATERAL jsonb_array_elements_text(g.recipients) WITH ORDINALITY AS r(address, number)
     )
     INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject,
       body_text, body_html, message_id, date, headers)
     SELECT g.id, ${FIRST_COPY}, g.workspace_id, g.from_name, g.from_address, g.to_name, g.to_address, g.subject, g.body_text,
       g.body_html, g.message_id, g.date, g.headers
     FROM given g JOIN stored USING (id) RETURNING email_id AS id`,
    [JSON.stringify(given)],
  )
  return new Set(rows.map(({ id }) => id))
}
