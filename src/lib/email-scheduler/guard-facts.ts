import type { SuppressedBy } from '#lib/audience/suppressed.ts'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { GuardFacts } from '#lib/guardrails/guards.ts'
import type { QuotaUse } from '#lib/guardrails/quota.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ScheduledEmailStatus } from './states.ts'

export type EmailFacts = {
  id: string
  status: ScheduledEmailStatus
  scheduledFor: Date
  nextRetryAt: Date | null
  delayDays: number | null
  campaignStatus: GuardFacts['campaign']['status']
  prospectId: string
  email: string | null
  prospectUpdatedAt: Date
  isPaused: boolean
  hasReplied: boolean
  hasBounced: boolean
  hasUnsubscribed: boolean
  isArchived: boolean
  previousStep: number | null
  previousStatus: ScheduledEmailStatus | null
  previousSentAt: Date | null
  mailboxId: string
}

export type MailboxFacts = {
  id: string
  workspaceId: string
  address: string
  status: GuardFacts['mailbox']['status']
  stoppedReason: string | null
  pauseReason: string | null
  deferredUntil: Date | null
  nextAllowedAt: Date | null
  dailyLimit: number
  rollingLimit: number
  /** Nothing is sent at all: the database may have forgotten what was (hold.ts). */
  isHeld: boolean
  now: Date
}

/** What the guards ask of campaign emails, in one statement however many they are. */
export async function readEmailFacts(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<EmailFacts[]> {
  const { rows } = await sql.query<EmailFacts>(
    prepared(`SELECT e.id, e.status, e.scheduled_for AS "scheduledFor", e.next_retry_at AS "nextRetryAt", s.delay_days AS "delayDays",
       c.status AS "campaignStatus", p.id AS "prospectId", p.email, p.updated_at AS "prospectUpdatedAt",
       p.paused_at IS NOT NULL OR cp.paused_at IS NOT NULL AS "isPaused", p.replied_at IS NOT NULL AS "hasReplied",
       p.bounced_at IS NOT NULL AS "hasBounced", p.unsubscribed_at IS NOT NULL AS "hasUnsubscribed",
       p.archived_at IS NOT NULL OR p.erased_at IS NOT NULL OR p.merged_into_id IS NOT NULL AS "isArchived",
       b.step_number AS "previousStep", b.status AS "previousStatus", b.sent_at AS "previousSentAt", e.mailbox_id AS "mailboxId"
     FROM scheduled_emails e
     JOIN campaigns c ON c.id = e.campaign_id
     JOIN campaign_prospects cp ON cp.id = e.campaign_prospect_id
     JOIN prospects p ON p.id = e.prospect_id
     LEFT JOIN sequence_steps s ON s.sequence_id = e.sequence_id AND s.step_number = e.step_number
     LEFT JOIN LATERAL (
       SELECT step_number, status, sent_at FROM scheduled_emails
       WHERE campaign_prospect_id = e.campaign_prospect_id AND step_number < e.step_number
       ORDER BY step_number DESC LIMIT 1) b ON true
     WHERE e.workspace_id = $1 AND e.id = ANY($2::uuid[])`),
    [workspaceId, plainArray(ids)],
  )
  return rows
}

/** `lock`: against whoever stops or archives the mailbox; against other clocks as well where it keeps a pace. */
export async function readMailboxFacts(
  sql: Sql,
  mailboxId: string,
  lock: '' | 'FOR KEY SHARE' | 'FOR NO KEY UPDATE' = '',
): Promise<MailboxFacts | undefined> {
  const { rows } = await sql.query<MailboxFacts>(
    prepared(`SELECT id, workspace_id AS "workspaceId", address, status, stopped_reason AS "stoppedReason", pause_reason AS "pauseReason",
       greatest(deferred_until, fault_until) AS "deferredUntil", next_allowed_at AS "nextAllowedAt",
       daily_limit AS "dailyLimit", rolling_limit AS "rollingLimit", sending_is_held() AS "isHeld", app_now() AS now
     FROM mailboxes WHERE id = $1 ${lock}`),
    [mailboxId],
  )
  return rows[0]
}

type Shared = {
  now: Date
  calendar: SendingCalendar
  mailbox: MailboxFacts
  used: QuotaUse & { freeAt: Date | null }
  suppressed: ReadonlyMap<string, SuppressedBy>
}

/** One email's facts, as the guards want them. */
export function guardFacts(email: EmailFacts, { now, calendar, mailbox, used, suppressed }: Shared): GuardFacts {
  const suppressedBy = suppressed.get(email.prospectId)
  return {
    now,
    settings: calendar.settings,
    campaign: { status: email.campaignStatus },
    prospect: email,
    suppression: {
      address: email.email ?? '',
      isAddressSuppressed: suppressedBy === 'ADDRESS',
      isDomainSuppressed: suppressedBy === 'DOMAIN',
    },
    // Enrolments that lack a merge field are not planned at all; the message itself is checked when it is rendered.
    missingMergeFields: [],
    previousStep: previousStepOf(email, calendar),
    mailbox: {
      address: mailbox.address,
      status: mailbox.status,
      stoppedReason: mailbox.stoppedReason,
      deferredUntil: mailbox.deferredUntil,
      pauseReason: mailbox.pauseReason,
      nextAllowedAt: mailbox.nextAllowedAt,
      dailyLimit: mailbox.dailyLimit,
      sentToday: used.mailboxToday,
      sentDatesBefore: used.sentDatesBefore,
      rollingLimit: mailbox.rollingLimit,
      sentInLast24Hours: used.inLast24Hours,
      rollingLimitFreeAt: used.freeAt,
    },
    workspaceSentToday: used.workspaceToday,
  }
}

function previousStepOf(email: EmailFacts, calendar: SendingCalendar): GuardFacts['previousStep'] {
  if (email.previousStep === null) return null
  const sentAt = email.previousSentAt
  const isOver = email.previousStatus === 'CANCELLED' || email.previousStatus === 'PERMANENTLY_FAILED'
  const delayOverAt = sentAt && new Date(calendar.openingMs(calendar.dayAt(sentAt.getTime()) + (email.delayDays ?? 0)))
  return { stepNumber: email.previousStep, sentAt, isOver, delayOverAt }
}
