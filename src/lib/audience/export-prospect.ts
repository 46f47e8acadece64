import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { loadProspect } from './list-prospects.ts'
import { PROSPECT_COLUMNS, type Prospect, prospectTarget } from './prospect.ts'
import { hideUnsubscribeLinks } from './unsubscribe-link.ts'

type Row = Record<string, unknown>

export type ProspectExport = {
  prospect: Prospect
  mergedProspects: Prospect[]
  lists: Row[]
  suppressions: Row[]
  enrolments: Row[]
  emails: Row[]
  /** What was sent, as it was sent, but for the link that only its reader has. */
  contents: Row[]
  attempts: Row[]
  events: Row[]
}

/** Everything held about one person, under whichever of their ids it is asked for. */
export async function exportProspect(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<ProspectExport> {
  const named = await loadProspect(tx, workspaceId, id)
  const prospect = named.mergedIntoId ? await loadProspect(tx, workspaceId, named.mergedIntoId) : named
  const merged = await tx.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE p.workspace_id = $1 AND p.merged_into_id = $2 ORDER BY p.id`,
    [workspaceId, prospect.id],
  )
  const ids = [prospect.id, ...merged.rows.map((row) => row.id)]
  const rows = async (sql: string) => (await tx.query<Row>(sql, [workspaceId, ids])).rows
  const exported: ProspectExport = {
    prospect,
    mergedProspects: merged.rows,
    lists: await rows(
      `SELECT l.name, m.added_at AS "addedAt" FROM list_members m JOIN prospect_lists l ON l.id = m.list_id
       WHERE l.workspace_id = $1 AND m.prospect_id = ANY($2::uuid[]) ORDER BY m.added_at, l.id`,
    ),
    suppressions: await rows(
      `SELECT s.kind, s.value, s.reason, s.source, s.created_at AS "createdAt" FROM suppressions s
       JOIN prospects p ON p.email_hash = s.value_hash AND p.workspace_id = s.workspace_id
       WHERE s.workspace_id = $1 AND p.id = ANY($2::uuid[]) ORDER BY s.id`,
    ),
    enrolments: await rows(
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
       WHERE e.workspace_id = $1 AND e.prospect_id = ANY($2::uuid[]) ORDER BY e.id`,
    ),
    contents: (
      await rows(
        `SELECT c.email_id AS "emailId", c.from_name AS "fromName", c.from_address AS "fromAddress", c.to_name AS "toName",
           c.to_address AS "toAddress", c.subject, c.body_text AS "text", c.body_html AS "html", c.message_id AS "messageId", c.date
         FROM email_contents c JOIN scheduled_emails e ON e.id = c.email_id
         WHERE e.workspace_id = $1 AND e.prospect_id = ANY($2::uuid[]) AND c.erased_at IS NULL
         ORDER BY c.date, c.email_id, c.content_token`,
      )
    ).map((row) => ({
      ...row,
      text: hideUnsubscribeLinks(String(row.text)),
      html: hideUnsubscribeLinks(String(row.html)),
    })),
    attempts: await rows(
      `SELECT a.email_id AS "emailId", a.number, a.started_at AS "startedAt", a.ended_at AS "endedAt", a.outcome,
         a.provider_text AS "providerText", a.message_id AS "messageId"
       FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id
       WHERE e.workspace_id = $1 AND e.prospect_id = ANY($2::uuid[]) ORDER BY a.email_id, a.lease_token`,
    ),
    events: await rows(
      `SELECT v.email_id AS "emailId", v.from_status AS "fromStatus", v.to_status AS "toStatus", v.reason, v.at
       FROM email_events v JOIN scheduled_emails e ON e.id = v.email_id
       WHERE e.workspace_id = $1 AND e.prospect_id = ANY($2::uuid[]) ORDER BY v.id`,
    ),
  }
  await recordAudit(tx, workspaceId, { action: 'prospect.exported', actor, target: prospectTarget(id) })
  return exported
}
