import { suppressedProspects } from '#lib/audience/suppressed.ts'
import { type WhyNotNow, whyNotNow } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import { fieldsNeeded, missingFieldsSql } from '#lib/sequences/merge-fields.ts'
import { calendarOf } from './calendar-of.ts'
import { guardFacts, readEmailFacts, readMailboxFacts } from './guard-facts.ts'
import { readQuotaUse } from './quota-use.ts'
import { readSendingSettings } from './sending-settings.ts'
import { isWaiting, type ScheduledEmailStatus } from './states.ts'

export type WhyNotNowAnswer =
  /** Everything that keeps it from leaving, and the first time at which it could. */
  | ({ kind: 'waiting'; plannedFor: Date; retryAt: Date | null } & WhyNotNow)
  /** It does not wait, so nothing holds it back: its state tells. */
  | { kind: 'not-waiting'; status: ScheduledEmailStatus }
  | { kind: 'not-found' }

/** Why a campaign email has not gone out yet: the same guards that will be asked when it is handed over. */
export async function explainWhyNotNow(sql: Sql, workspaceId: string, emailId: string): Promise<WhyNotNowAnswer> {
  const [email] = await readEmailFacts(sql, workspaceId, [emailId])
  const settings = await readSendingSettings(sql, workspaceId)
  const mailbox = email && (await readMailboxFacts(sql, email.mailboxId))
  if (!email || !mailbox || !settings) return { kind: 'not-found' }
  if (!isWaiting(email.status)) return { kind: 'not-waiting', status: email.status }
  const calendar = calendarOf(settings)
  const { now } = mailbox
  const used = await readQuotaUse(sql, mailbox, calendar, now)
  const suppressed = await suppressedProspects(sql, workspaceId, [email.prospectId])
  const shared = { now, calendar, mailbox, used, suppressed }
  const facts = { ...guardFacts(email, shared), missingMergeFields: await readMissing(sql, workspaceId, emailId) }
  return { kind: 'waiting', plannedFor: email.scheduledFor, retryAt: email.nextRetryAt, ...whyNotNow(facts) }
}

type Texts = { subject: string; bodyText: string; bodyHtml: string; prospectId: string; isFrozen: boolean }

/** What the text needs and the prospect does not have. From its first attempt on the message is frozen, and lacks nothing. */
async function readMissing(sql: Sql, workspaceId: string, emailId: string): Promise<string[]> {
  const { rows } = await sql.query<Texts>(
    `SELECT s.subject, s.body_text AS "bodyText", s.body_html AS "bodyHtml", e.prospect_id AS "prospectId",
       e.content_token IS NOT NULL AS "isFrozen"
     FROM scheduled_emails e JOIN sequence_steps s ON s.sequence_id = e.sequence_id AND s.step_number = e.step_number
     WHERE e.workspace_id = $1 AND e.id = $2`,
    [workspaceId, emailId],
  )
  const [email] = rows
  const needed = email && !email.isFrozen ? fieldsNeeded([email]) : []
  if (needed.length === 0) return []
  const lacking = await sql.query<{ missing: string[] }>(
    `SELECT ${missingFieldsSql('p', '$2::text[]')} AS missing FROM prospects p WHERE p.id = $1`,
    [email?.prospectId, needed],
  )
  return lacking.rows[0]?.missing ?? []
}
