import { BLIND_COPIES } from '#lib/email-scheduler/read/blind-copies.ts'
import { CANCEL_REASONS, type CancelReason } from '#lib/email-scheduler/reasons.ts'
import { type ScheduledEmailStatus, STATES } from '#lib/email-scheduler/states.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { EmailResult } from './email-result.ts'

export type TransactionalEmail = {
  id: string
  result: EmailResult
  status: ScheduledEmailStatus
  /** What the state means, and why, for people. */
  sentence: string
  to: string | null
  bcc: string[]
  subject: string | null
  mailbox: string
  scheduledFor: Date
  nextRetryAt: Date | null
  sentAt: Date | null
  attempts: number
  lastError: string | null
  lastErrorCode: string | null
  messageId: string | null
  createdAt: Date
}

type Row = Omit<TransactionalEmail, 'result' | 'sentence'> & { isMarked: boolean; cancelReason: CancelReason | null }

const EMAILS = `SELECT e.id, e.status, e.marked_token IS NOT DISTINCT FROM e.lease_token AS "isMarked",
    nullif(t.to_address, '') AS to,
    ${BLIND_COPIES} AS bcc,
    nullif(t.subject, '') AS subject, m.address AS mailbox, e.scheduled_for AS "scheduledFor",
    e.next_retry_at AS "nextRetryAt", e.sent_at AS "sentAt", e.attempts, e.last_error AS "lastError",
    e.last_error_code AS "lastErrorCode", e.cancel_reason AS "cancelReason", coalesce(e.message_id, t.message_id) AS "messageId",
    e.created_at AS "createdAt"
  FROM scheduled_emails e JOIN mailboxes m ON m.id = e.mailbox_id
  LEFT JOIN email_contents t ON t.email_id = e.id AND t.content_token = e.content_token
  WHERE e.workspace_id = $1 AND e.kind = 'TRANSACTIONAL'`

/** As they are now, by id. */
export async function readEmails(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, TransactionalEmail>> {
  const { rows } = await sql.query<Row>(prepared(`${EMAILS} AND e.id = ANY($2::uuid[])`), [workspaceId, ids])
  return new Map(rows.map((row) => [row.id, emailOf(row)]))
}

export async function readOneEmail(sql: Sql, workspaceId: string, id: string): Promise<TransactionalEmail> {
  const email = (await readEmails(sql, workspaceId, [id])).get(id)
  if (!email) throw notFound()
  return email
}

type Page = { cursor?: string | undefined; limit: number; status?: ScheduledEmailStatus | undefined }

/** Newest first. Each status is read along its own index, however many emails of campaigns lie between. */
export async function listEmails(
  sql: Sql,
  workspaceId: string,
  { cursor, limit, status }: Page,
): Promise<{ emails: TransactionalEmail[]; nextCursor: string | null }> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT e.id FROM unnest($2::scheduled_email_status[]) AS s(status) CROSS JOIN LATERAL (
       SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND kind = 'TRANSACTIONAL' AND status = s.status
         AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4) e
     ORDER BY e.id DESC LIMIT $4`,
    [workspaceId, status ? [status] : Object.keys(STATES), cursor ?? null, limit + 1],
  )
  const ids = rows.slice(0, limit).map(({ id }) => id)
  const emails = await readEmails(sql, workspaceId, ids)
  return {
    emails: ids.flatMap((id) => emails.get(id) ?? []),
    nextCursor: rows.length > limit ? (ids.at(-1) ?? null) : null,
  }
}

function emailOf({ isMarked, cancelReason, ...row }: Row): TransactionalEmail {
  return { ...row, result: resultOf(row.status, isMarked), sentence: sentenceOf(row, cancelReason) }
}

function resultOf(status: ScheduledEmailStatus, isMarked: boolean): EmailResult {
  switch (status) {
    case 'SENT':
      return 'sent'
    case 'OUTCOME_UNKNOWN':
      return 'unknown'
    case 'SENDING':
      // It is being handed over at this moment, so it may have been sent.
      return isMarked ? 'unknown' : 'queued'
    case 'SCHEDULED':
    case 'RETRY_SCHEDULED':
    case 'FAILED':
      return 'queued'
    case 'PERMANENTLY_FAILED':
      return 'failed'
    case 'CANCELLED':
      return 'cancelled'
  }
}

function sentenceOf(
  { status, lastError }: Omit<Row, 'isMarked' | 'cancelReason'>,
  cancelReason: CancelReason | null,
): string {
  if (cancelReason !== null) return CANCEL_REASONS[cancelReason]
  return [STATES[status].sentence, status === 'SENT' ? null : lastError].filter(Boolean).join(' ')
}
