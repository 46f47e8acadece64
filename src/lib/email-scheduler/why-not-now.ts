import { suppressedProspects } from '#lib/audience/suppressed.ts'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { type GuardFacts, type WhyNotNow, whyNotNow } from '#lib/guardrails/guards.ts'
import { getDailySentCount } from '#lib/guardrails/quota.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/local-date.ts'
import { fieldsNeeded, missingFieldsSql } from '#lib/sequences/merge-fields.ts'
import { readSendingSettings } from './sending-settings.ts'
import { isWaiting, type ScheduledEmailStatus } from './states.ts'

export type WhyNotNowAnswer =
  /** Everything that keeps it from leaving, and the first time at which it could. */
  | ({ kind: 'waiting'; plannedFor: Date; retryAt: Date | null } & WhyNotNow)
  /** It does not wait, so nothing holds it back: its state tells. */
  | { kind: 'not-waiting'; status: ScheduledEmailStatus }
  | { kind: 'not-found' }

type Row = {
  status: ScheduledEmailStatus
  scheduled_for: Date
  next_retry_at: Date | null
  delay_days: number | null
  attempts: number
  subject: string | null
  body_text: string | null
  body_html: string | null
  campaign_status: GuardFacts['campaign']['status']
  prospect_id: string
  email: string | null
  paused: boolean
  replied: boolean
  bounced: boolean
  unsubscribed: boolean
  archived: boolean
  previous_step: number | null
  previous_status: ScheduledEmailStatus | null
  previous_sent_at: Date | null
  mailbox_id: string
  address: string
  mailbox_status: GuardFacts['mailbox']['status']
  stopped_reason: string | null
  deferred_until: Date | null
  next_allowed_at: Date | null
  daily_limit: number
  rolling_limit: number
}

/** Why a campaign email has not gone out yet: the same guards that will be asked when it is handed over. */
export async function explainWhyNotNow(sql: Sql, workspaceId: string, emailId: string): Promise<WhyNotNowAnswer> {
  const { rows } = await sql.query<Row>(
    `SELECT e.status, e.scheduled_for, e.next_retry_at, e.attempts, s.delay_days, s.subject, s.body_text, s.body_html, c.status AS campaign_status, p.id AS prospect_id, p.email,
       p.paused_at IS NOT NULL OR cp.paused_at IS NOT NULL AS paused, p.replied_at IS NOT NULL AS replied,
       p.bounced_at IS NOT NULL AS bounced, p.unsubscribed_at IS NOT NULL AS unsubscribed,
       p.archived_at IS NOT NULL OR p.erased_at IS NOT NULL AS archived,
       b.step_number AS previous_step, b.status AS previous_status, b.sent_at AS previous_sent_at,
       m.id AS mailbox_id, m.address, m.status AS mailbox_status, m.stopped_reason, m.deferred_until, m.next_allowed_at,
       m.daily_limit, m.rolling_limit
     FROM scheduled_emails e
     JOIN campaigns c ON c.id = e.campaign_id
     JOIN campaign_prospects cp ON cp.id = e.campaign_prospect_id
     JOIN prospects p ON p.id = e.prospect_id
     JOIN mailboxes m ON m.id = e.mailbox_id
     LEFT JOIN sequence_steps s ON s.sequence_id = e.sequence_id AND s.step_number = e.step_number
     LEFT JOIN LATERAL (
       SELECT step_number, status, sent_at FROM scheduled_emails
       WHERE campaign_prospect_id = e.campaign_prospect_id AND step_number < e.step_number
       ORDER BY step_number DESC LIMIT 1) b ON true
     WHERE e.workspace_id = $1 AND e.id = $2`,
    [workspaceId, emailId],
  )
  const row = rows[0]
  const settings = await readSendingSettings(sql, workspaceId)
  if (!row || !settings) return { kind: 'not-found' }
  if (!isWaiting(row.status)) return { kind: 'not-waiting', status: row.status }
  const facts = await gatherFacts(sql, workspaceId, settings, row, await appNow(sql))
  return { kind: 'waiting', plannedFor: row.scheduled_for, retryAt: row.next_retry_at, ...whyNotNow(facts) }
}

async function gatherFacts(
  sql: Sql,
  workspaceId: string,
  settings: SendingSettings,
  row: Row,
  now: Date,
): Promise<GuardFacts> {
  const calendar = new SendingCalendar(settings)
  const today = calendar.dayAt(now.getTime())
  const sent = await readSent(sql, row.mailbox_id, localDateOf(today), now)
  const suppressedBy = (await suppressedProspects(sql, workspaceId, [row.prospect_id])).get(row.prospect_id)
  const tooMany = sent.lastDay.length - row.rolling_limit
  return {
    now,
    settings,
    campaign: { status: row.campaign_status },
    prospect: {
      isPaused: row.paused,
      hasReplied: row.replied,
      hasBounced: row.bounced,
      hasUnsubscribed: row.unsubscribed,
      isArchived: row.archived,
    },
    suppression: {
      address: row.email ?? '',
      isAddressSuppressed: suppressedBy === 'ADDRESS',
      isDomainSuppressed: suppressedBy === 'DOMAIN',
    },
    missingMergeFields: await readMissing(sql, row),
    previousStep: previousStepOf(row, calendar),
    mailbox: {
      address: row.address,
      status: row.mailbox_status,
      stoppedReason: row.stopped_reason,
      deferredUntil: row.deferred_until,
      nextAllowedAt: row.next_allowed_at,
      dailyLimit: row.daily_limit,
      sentToday: sent.today,
      sentDatesBefore: sent.datesBefore,
      rollingLimit: row.rolling_limit,
      sentInLast24Hours: sent.lastDay.length,
      rollingLimitFreeAt: tooMany < 0 ? null : plusDay(sent.lastDay[tooMany]),
    },
    workspaceSentToday: await getDailySentCount(sql, workspaceId, localDateOf(today)),
  }
}

/** What the text needs and the prospect does not have. From its first attempt on the message is frozen, and lacks nothing. */
async function readMissing(sql: Sql, row: Row): Promise<string[]> {
  const texts = { subject: row.subject ?? '', bodyText: row.body_text ?? '', bodyHtml: row.body_html ?? '' }
  const needed = row.attempts > 0 ? [] : fieldsNeeded([texts])
  if (needed.length === 0) return []
  const { rows } = await sql.query<{ missing: string[] }>(
    `SELECT ${missingFieldsSql('p', '$2::text[]')} AS missing FROM prospects p WHERE p.id = $1`,
    [row.prospect_id, needed],
  )
  return rows[0]?.missing ?? []
}

function previousStepOf(row: Row, calendar: SendingCalendar): GuardFacts['previousStep'] {
  if (row.previous_step === null) return null
  const sentAt = row.previous_sent_at
  const isOver = row.previous_status === 'CANCELLED' || row.previous_status === 'PERMANENTLY_FAILED'
  const delayOverAt = sentAt && new Date(calendar.openingMs(calendar.dayAt(sentAt.getTime()) + (row.delay_days ?? 0)))
  return { stepNumber: row.previous_step, sentAt, isOver, delayOverAt }
}

async function readSent(sql: Sql, mailboxId: string, today: string, now: Date) {
  const { rows: days } = await sql.query<{ today: number; dates_before: number }>(
    `SELECT coalesce(sum(reserved) FILTER (WHERE local_date = $2), 0)::int AS today,
       count(*) FILTER (WHERE local_date < $2 AND reserved > 0)::int AS dates_before
     FROM mailbox_days WHERE mailbox_id = $1`,
    [mailboxId, today],
  )
  const { rows: sent } = await sql.query<{ sent_at: Date }>(
    `SELECT sent_at FROM scheduled_emails WHERE mailbox_id = $1 AND status = 'SENT' AND sent_at > $2::timestamptz - interval '24 hours'
     ORDER BY sent_at`,
    [mailboxId, now],
  )
  return {
    today: days[0]?.today ?? 0,
    datesBefore: days[0]?.dates_before ?? 0,
    lastDay: sent.map((row) => row.sent_at),
  }
}

function plusDay(at: Date | undefined): Date | null {
  return at ? new Date(at.getTime() + 86_400_000) : null
}
