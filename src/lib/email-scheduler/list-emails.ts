import type { Sql } from '#lib/platform/database.ts'
import type { ScheduledEmailStatus } from './states.ts'

export type CampaignEmail = {
  id: string
  enrolmentId: string
  prospectId: string
  prospect: string | null
  stepNumber: number
  mailbox: string
  status: ScheduledEmailStatus
  scheduledFor: Date
  sentAt: Date | null
  nextRetryAt: Date | null
  attempts: number
  lastError: string | null
  cancelReason: string | null
}

export type EmailFilter = { status?: ScheduledEmailStatus | undefined; cursor?: string | undefined; limit: number }

/** A campaign's emails in the order in which they were planned. */
export async function listCampaignEmails(
  sql: Sql,
  { workspaceId, id }: { workspaceId: string; id: string },
  { status, cursor, limit }: EmailFilter,
): Promise<{ emails: CampaignEmail[]; nextCursor: string | null }> {
  const { rows } = await sql.query<CampaignEmail>(
    `SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.prospect_id AS "prospectId", p.email AS prospect,
       e.step_number AS "stepNumber", m.address AS mailbox, e.status, e.scheduled_for AS "scheduledFor", e.sent_at AS "sentAt",
       e.next_retry_at AS "nextRetryAt", e.attempts, e.last_error AS "lastError", e.cancel_reason AS "cancelReason"
     FROM (SELECT * FROM scheduled_emails WHERE workspace_id = $1 AND campaign_id = $2
             AND ($3::scheduled_email_status IS NULL OR status = $3) AND ($4::uuid IS NULL OR id > $4)
           ORDER BY id LIMIT $5) e
     JOIN prospects p ON p.id = e.prospect_id JOIN mailboxes m ON m.id = e.mailbox_id
     ORDER BY e.id`,
    [workspaceId, id, status ?? null, cursor ?? null, limit + 1],
  )
  const emails = rows.slice(0, limit)
  return { emails, nextCursor: rows.length > limit ? (emails.at(-1)?.id ?? null) : null }
}
