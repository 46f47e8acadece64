import type { ProspectTraces } from '#lib/audience/prospect.ts'
import { hideUnsubscribeLinks } from '#lib/audience/prospects/unsubscribe-link.ts'
import { exportJourneys } from '#lib/campaigns/journeys/export-journeys.ts'
import type { Sql } from '#lib/platform/database.ts'
import { hideTracking } from '#lib/tracking/tracking-link.ts'

/** Of campaigns, and what programs had sent to them: to nobody else, not even those who had a blind copy. */
const THEIRS = `e.id IN (
  SELECT o.id FROM campaign_prospects cp JOIN scheduled_emails o ON o.campaign_prospect_id = cp.id
  WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[])
  UNION ALL SELECT email_id FROM email_recipients WHERE workspace_id = $1 AND address = ANY($3::text[]) AND position = 0)`

/** What is held in campaigns and in the queue about these prospects, who are one person: for the export of the person. */
export async function exportTraces(
  tx: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
  addresses: readonly string[],
): Promise<ProspectTraces> {
  const ofPeople = async (sql: string) =>
    (await tx.query<Record<string, unknown>>(sql, [workspaceId, prospectIds])).rows
  const rows = async (sql: string) =>
    (await tx.query<Record<string, unknown>>(sql, [workspaceId, prospectIds, addresses])).rows
  return {
    enrolments: await ofPeople(
      `SELECT cp.id, c.name AS campaign, cp.prospect_id AS "prospectId", cp.state, cp.reason, cp.paused_at AS "pausedAt",
         cp.created_at AS "createdAt"
       FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
       WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[]) ORDER BY cp.id`,
    ),
    emails: await rows(
      `SELECT e.id, c.name AS campaign, e.prospect_id AS "prospectId", e.step_number AS "stepNumber", e.status,
         e.scheduled_for AS "scheduledFor", e.sent_at AS "sentAt", e.cancelled_at AS "cancelledAt",
         e.cancel_reason AS "cancelReason", e.last_error AS "lastError", e.message_id AS "messageId"
       FROM scheduled_emails e LEFT JOIN campaigns c ON c.id = e.campaign_id
       WHERE ${THEIRS} ORDER BY e.id`,
    ),
    contents: (
      await rows(
        `SELECT c.email_id AS "emailId", c.from_name AS "fromName", c.from_address AS "fromAddress", c.to_name AS "toName",
           c.to_address AS "toAddress", c.subject, c.body_text AS "text", c.body_html AS "html", c.message_id AS "messageId", c.date
         FROM email_contents c JOIN scheduled_emails e ON e.id = c.email_id
         WHERE ${THEIRS} AND c.erased_at IS NULL
         ORDER BY c.date, c.email_id, c.content_token`,
      )
    ).map((row) => ({
      ...row,
      text: hideUnsubscribeLinks(String(row.text)),
      html: hideTracking(hideUnsubscribeLinks(String(row.html))),
    })),
    attempts: await rows(
      `SELECT a.email_id AS "emailId", a.number, a.started_at AS "startedAt", a.ended_at AS "endedAt", a.outcome,
         a.provider_text AS "providerText", a.message_id AS "messageId"
       FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id
       WHERE ${THEIRS} ORDER BY a.email_id, a.lease_token`,
    ),
    ...(await exportJourneys(tx, workspaceId, prospectIds)),
    actions: await ofPeople(
      `SELECT a.id, a.type, a.status, a.reason, a.due_at AS "dueAt", a.ended_at AS "endedAt", a.node_id AS "nodeId", a.round, a.payload,
         a.last_error AS "lastError"
       FROM campaign_prospects cp JOIN scheduled_actions a ON a.enrolment_id = cp.id
       WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[]) ORDER BY a.id`,
    ),
    events: await rows(
      `SELECT v.email_id AS "emailId", v.from_status AS "fromStatus", v.to_status AS "toStatus", v.reason, v.at
       FROM email_events v JOIN scheduled_emails e ON e.id = v.email_id
       WHERE ${THEIRS} ORDER BY v.id`,
    ),
  }
}
