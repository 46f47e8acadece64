import type { Campaign } from '#lib/campaigns/campaign.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type ScheduledEmailStatus, STATUSES } from './states.ts'

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

const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * The next page of one state, or of each of all states: every part is read in its order from the index, so that a page
 * of a campaign of millions costs what it holds. Takes the campaign, the states, the cursor and how many.
 */
export const PAGE_SQL = `SELECT page.* FROM unnest($2::scheduled_email_status[]) AS wanted(status) CROSS JOIN LATERAL (
    SELECT * FROM scheduled_emails WHERE campaign_id = $1 AND status = wanted.status AND id > $3 ORDER BY id LIMIT $4) page
  ORDER BY page.id LIMIT $4`

/** The emails of a campaign (which the caller has found in the workspace), in the order in which they were planned. */
export async function listCampaignEmails(
  sql: Sql,
  { id }: Pick<Campaign, 'id'>,
  { status, cursor, limit }: EmailFilter,
): Promise<{ emails: CampaignEmail[]; nextCursor: string | null }> {
  const { rows } = await sql.query<CampaignEmail>(
    `SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.prospect_id AS "prospectId", p.email AS prospect,
       e.step_number AS "stepNumber", m.address AS mailbox, e.status, e.scheduled_for AS "scheduledFor", e.sent_at AS "sentAt",
       e.next_retry_at AS "nextRetryAt", e.attempts, e.last_error AS "lastError", e.cancel_reason AS "cancelReason"
     FROM (${PAGE_SQL}) e
     JOIN prospects p ON p.id = e.prospect_id JOIN mailboxes m ON m.id = e.mailbox_id
     ORDER BY e.id`,
    [id, status ? [status] : STATUSES, cursor ?? FIRST, limit + 1],
  )
  const emails = rows.slice(0, limit)
  return { emails, nextCursor: rows.length > limit ? (emails.at(-1)?.id ?? null) : null }
}
