import { bouncedAmong, type SuppressedBy, suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { isSpaced } from '#lib/email-scheduler/send/claim.ts'
import { type EmailFacts, guardFacts, readEmailFacts, readMailboxFacts } from '#lib/email-scheduler/send/guard-facts.ts'
import { readQuotaUse, sentInLast24Hours } from '#lib/email-scheduler/send/quota-use.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { isWaiting, type ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { QueuePlace } from '#lib/guardrails/turn.ts'
import { type WhyNotNow, whyNotNow, whyNotNowTransactional } from '#lib/guardrails/why-not-now.ts'
import type { Sql } from '#lib/platform/database.ts'
import { fieldsNeeded, missingFieldsSql, nameOfField } from '#lib/sequences/merge-fields.ts'

export type WhyNotNowAnswer =
  /** Everything that keeps it from leaving, and the first time at which it could. */
  | ({ kind: 'waiting'; plannedFor: Date; retryAt: Date | null } & WhyNotNow)
  /** It does not wait, so nothing holds it back: its state tells. */
  | { kind: 'not-waiting'; status: ScheduledEmailStatus }
  | { kind: 'not-found' }

/** Why an email has not gone out yet: the same guards that will be asked when it is handed over. */
export async function explainWhyNotNow(sql: Sql, workspaceId: string, emailId: string): Promise<WhyNotNowAnswer> {
  const [email] = await readEmailFacts(sql, workspaceId, [emailId])
  const settings = await readSendingSettings(sql, workspaceId)
  const mailbox = email && (await readMailboxFacts(sql, email.mailboxId))
  if (!email || !mailbox || !settings) return { kind: 'not-found' }
  if (!isWaiting(email.status)) return { kind: 'not-waiting', status: email.status }
  const calendar = calendarOf(settings)
  const { now } = mailbox
  const used = await readQuotaUse(sql, mailbox, calendar, now)
  const isRetry = email.status === 'RETRY_SCHEDULED'
  const when = { kind: 'waiting' as const, plannedFor: email.scheduledFor, retryAt: email.nextRetryAt }
  const shared = { now, calendar, mailbox, used, suppressed: await readSuppressed(sql, workspaceId, email) }
  if (email.prospectId === null) {
    const readyAt = await readReadyAt(sql, workspaceId, emailId)
    const waiting = { isHeld: mailbox.isHeld, isRetry, readyAt }
    return { ...when, ...whyNotNowTransactional(guardFacts(email, shared), waiting) }
  }
  const missing = await readMissing(sql, workspaceId, emailId)
  const facts = { ...guardFacts(email, shared), missingMergeFields: missing.map(nameOfField) }
  const { readyAt, lastHandedOverAt, places, isMore } = await readQueue(sql, workspaceId, emailId)
  const queue = {
    ...{ now, calendar, limits: mailbox, used, lastHandedOverAt, places },
    recent: used.inLast24Hours + places.length > mailbox.rollingLimit ? await sentInLast24Hours(sql, mailbox, now) : [],
    restsUntil: latest(mailbox.deferredUntil, isSpaced(settings) ? mailbox.nextAllowedAt : null),
  }
  const why = whyNotNow(facts, { isHeld: mailbox.isHeld, isRetry, readyAt, queue, isMore })
  return { ...when, ...why }
}

/** By prospect; of an email that has none, whether the address that it goes to has bounced. */
async function readSuppressed(
  sql: Sql,
  workspaceId: string,
  { id, prospectId }: EmailFacts,
): Promise<Map<string, SuppressedBy>> {
  if (prospectId !== null) return suppressedProspects(sql, workspaceId, [prospectId])
  const { rows } = await sql.query<{ address: string }>(
    `SELECT c.to_address AS address FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id AND c.content_token = e.content_token
     WHERE e.workspace_id = $1 AND e.id = $2`,
    [workspaceId, id],
  )
  const bounced = await bouncedAmong(
    sql,
    workspaceId,
    rows.map(({ address }) => address),
  )
  return new Map(bounced.size > 0 ? [[id, 'ADDRESS']] : [])
}

async function readReadyAt(sql: Sql, workspaceId: string, emailId: string): Promise<Date | null> {
  const { rows } = await sql.query<{ readyAt: Date | null }>(
    'SELECT ready_at AS "readyAt" FROM scheduled_emails WHERE workspace_id = $1 AND id = $2',
    [workspaceId, emailId],
  )
  return rows[0]?.readyAt ?? null
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one && other ? (one > other ? one : other) : (one ?? other)
}

/** How many of a mailbox's emails are looked at before this one: bounded, however much is due. */
const PLACES_MAX = 2_000

type Place = QueuePlace & { id: string }

/** Who goes before it at its mailbox, in the order in which a claim takes them: see findDue in send/claim.ts. */
async function readQueue(sql: Sql, workspaceId: string, emailId: string) {
  const { rows } = await sql.query<{
    readyAt: Date | null
    jitterSeconds: number
    mailboxId: string
    lastHandedOverAt: Date | null
    lastCampaignId: string | null
  }>(
    `SELECT e.ready_at AS "readyAt", e.jitter_seconds AS "jitterSeconds", m.id AS "mailboxId",
       m.last_handed_over_at AS "lastHandedOverAt", m.last_campaign_id AS "lastCampaignId"
     FROM scheduled_emails e JOIN mailboxes m ON m.id = e.mailbox_id WHERE e.workspace_id = $1 AND e.id = $2`,
    [workspaceId, emailId],
  )
  const [own] = rows
  if (!own?.readyAt) {
    const places = own ? [{ readyAt: new Date(0), jitterSeconds: own.jitterSeconds }] : []
    return { readyAt: null, lastHandedOverAt: own?.lastHandedOverAt ?? null, places, isMore: false }
  }
  const { rows: places } = await sql.query<Place>(
    `SELECT e.id, e.ready_at AS "readyAt", e.jitter_seconds AS "jitterSeconds"
     FROM campaigns c CROSS JOIN LATERAL (
       SELECT oldest.*, ready_at <= app_now() AS due, row_number() OVER (ORDER BY ready_at, id) AS turn FROM (
         SELECT id, jitter_seconds, ready_at FROM scheduled_emails
         WHERE mailbox_id = $1 AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')
           AND ready_at <= greatest($3::timestamptz, app_now())
         ORDER BY ready_at LIMIT $5) oldest) e
     WHERE c.workspace_id = $2 AND c.status = 'RUNNING'
     ORDER BY e.due DESC, CASE WHEN e.due THEN e.turn END, CASE WHEN e.due THEN c.id <= $4 END, CASE WHEN e.due THEN c.id END,
       e.ready_at, e.id LIMIT $5`,
    [own.mailboxId, workspaceId, own.readyAt, own.lastCampaignId, PLACES_MAX],
  )
  const index = places.findIndex(({ id }) => id === emailId)
  const before = index < 0 ? places : places.slice(0, index)
  return { ...own, places: [...before, { readyAt: own.readyAt, jitterSeconds: own.jitterSeconds }], isMore: index < 0 }
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
