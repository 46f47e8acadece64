import { listEvents, type PersonEvent } from '#lib/events/list-events.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EnrolmentState } from '#lib/platform/generated/enums.ts'
import { EMAIL_ROWS, type EmailRow, mapScheduledEmail, type ScheduledEmailResponse } from './email-response.ts'

export type PersonEmail = Pick<
  ScheduledEmailResponse,
  'id' | 'status' | 'sentence' | 'campaign' | 'stepNumber' | 'attempts' | 'lastError'
> & {
  subject: string | null
  mailbox: string
  /** When it was sent, ended, or is to go. */
  at: Date
}

export type PersonHistory = {
  emails: PersonEmail[]
  isCut: boolean
  /** Those that emails and the person's own state do not tell. */
  events: PersonEvent[]
  enrolments: {
    id: string
    campaign: { id: string; name: string }
    state: EnrolmentState
    reason: string | null
    createdAt: Date
  }[]
}

const EMAILS_MAX = 500
const EVENTS_MAX = 500

/**
 * Of a prospect that the caller has found in the workspace, and of all who were merged into it: they are one person. With what
 * programs had sent to their addresses.
 */
export async function readPersonHistory(sql: Sql, workspaceId: string, prospectId: string): Promise<PersonHistory> {
  const { rows: people } = await sql.query<{ id: string; email: string | null }>(
    'SELECT id, email FROM prospects WHERE workspace_id = $1 AND (id = $2 OR merged_into_id = $2)',
    [workspaceId, prospectId],
  )
  const ids = people.map(({ id }) => id)
  const { rows: enrolments } = await sql.query<PersonHistory['enrolments'][number]>(
    `SELECT cp.id, json_build_object('id', c.id, 'name', c.name) AS campaign, cp.state, cp.reason, cp.created_at AS "createdAt"
     FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
     WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[]) ORDER BY cp.id DESC`,
    [workspaceId, ids],
  )
  const { rows } = await sql.query<EmailRow>(
    `${EMAIL_ROWS} WHERE e.id IN (
       SELECT id FROM scheduled_emails WHERE campaign_prospect_id = ANY($1::uuid[])
       UNION ALL SELECT email_id FROM email_recipients WHERE workspace_id = $2 AND address = ANY($3::text[]) AND position = 0)
     ORDER BY coalesce(e.sent_at, e.cancelled_at, e.next_retry_at, e.scheduled_for) DESC, e.id DESC LIMIT ${EMAILS_MAX + 1}`,
    [enrolments.map(({ id }) => id), workspaceId, people.flatMap(({ email }) => email ?? [])],
  )
  const shown = rows.slice(0, EMAILS_MAX)
  const subjects = await subjectsOf(
    sql,
    shown.map(({ id }) => id),
  )
  const { events } = await listEvents(sql, workspaceId, ids, {
    limit: EVENTS_MAX,
    types: ['OPENED', 'CLICKED', 'CUSTOM'],
  })
  return {
    enrolments,
    events,
    isCut: rows.length > EMAILS_MAX,
    emails: shown.map((row) => {
      const { id, status, sentence, campaign, stepNumber, attempts, lastError, mailbox } = mapScheduledEmail(row)
      return {
        ...{ id, status, sentence, campaign, stepNumber, attempts, lastError },
        mailbox: mailbox.address,
        subject: subjects.get(id) ?? null,
        at: row.sentAt ?? row.cancelledAt ?? row.nextRetryAt ?? row.scheduledFor,
      }
    }),
  }
}

/** As it went out; an email that has not been tried has none of its own yet. */
async function subjectsOf(sql: Sql, emailIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ id: string; subject: string }>(
    `SELECT e.id, c.subject FROM scheduled_emails e
     JOIN email_contents c ON c.email_id = e.id AND c.content_token = e.content_token
     WHERE e.id = ANY($1::uuid[]) AND c.erased_at IS NULL`,
    [emailIds],
  )
  return new Map(rows.map(({ id, subject }) => [id, subject]))
}
