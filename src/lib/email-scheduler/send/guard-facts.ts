import type { SuppressedBy } from '#lib/audience/suppression/suppressed.ts'
import { wasOrMayBeSent } from '#lib/campaigns/may-have-arrived.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { GuardFacts } from '#lib/guardrails/guards.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { amongIds, plainArray } from '#lib/platform/sql-array.ts'
import { NOTHING_SEEN, type SeenArguments } from './moment.ts'
import type { UseNow } from './quota-use.ts'

export type EmailFacts = {
  id: string
  kind: EmailKind
  status: ScheduledEmailStatus
  scheduledFor: Date
  nextRetryAt: Date | null
  delayDays: number | null
  /** Empty where it is in no campaign, as what follows of prospect, sequence and steps. */
  campaignStatus: GuardFacts['campaign']['status'] | null
  prospectId: string | null
  email: string | null
  prospectVersion: string | null
  sequenceVersion: string | null
  isPaused: boolean
  hasReplied: boolean
  hasBounced: boolean
  hasUnsubscribed: boolean
  isArchived: boolean
  /** Of a transactional one: its recipient was, after it was claimed. */
  isErased: boolean
  hadStepBefore: boolean
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
  senderVersion: string
  /** Nothing is sent at all: the database may have forgotten what was (hold.ts). */
  isHeld: boolean
  now: Date
}

/** Of a mailbox `m`: another after every change of what an email says of its sender. Claims and attempts change it not. */
export const SENDER_VERSION = `m.version || ' ' || coalesce((SELECT version FROM sending_settings WHERE workspace_id = m.workspace_id), 0)`

const MAILBOX_FACTS = `id, workspace_id AS "workspaceId", address, status, stopped_reason AS "stoppedReason", pause_reason AS "pauseReason",
       greatest(deferred_until, fault_until) AS "deferredUntil", next_allowed_at AS "nextAllowedAt",
       daily_limit AS "dailyLimit", rolling_limit AS "rollingLimit", ${SENDER_VERSION} AS "senderVersion"`

/** What the guards ask of emails, in one statement however many they are. */
export async function readEmailFacts(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<EmailFacts[]> {
  const { rows } = await sql.query<EmailFacts>(
    prepared(`SELECT e.id, e.kind, e.status, e.scheduled_for AS "scheduledFor", e.next_retry_at AS "nextRetryAt", s.delay_days AS "delayDays",
       c.status AS "campaignStatus", p.id AS "prospectId", p.email, p.xmin::text AS "prospectVersion", q.xmin::text AS "sequenceVersion",
       p.paused_at IS NOT NULL OR cp.paused_at IS NOT NULL AS "isPaused", p.replied_at IS NOT NULL AS "hasReplied",
       p.bounced_at IS NOT NULL AS "hasBounced", p.unsubscribed_at IS NOT NULL AS "hasUnsubscribed",
       p.archived_at IS NOT NULL OR p.erased_at IS NOT NULL OR p.merged_into_id IS NOT NULL AS "isArchived",
       r.erased_at IS NOT NULL AS "isErased",
       EXISTS (SELECT FROM prospects merged JOIN scheduled_emails o
         ON o.idempotency_key = merged.id || ':' || e.sequence_id || ':' || e.step_number
         WHERE merged.merged_into_id = p.id AND ${wasOrMayBeSent('o')}) AS "hadStepBefore",
       b.step_number AS "previousStep", b.status AS "previousStatus", b.sent_at AS "previousSentAt", e.mailbox_id AS "mailboxId"
     FROM scheduled_emails e
     -- What is transactional has none of these, and is not to be lost for it.
     LEFT JOIN campaigns c ON c.id = e.campaign_id
     LEFT JOIN campaign_prospects cp ON cp.id = e.campaign_prospect_id
     LEFT JOIN prospects p ON p.id = e.prospect_id
     LEFT JOIN email_recipients r ON r.email_id = e.id AND r.position = 0 AND e.prospect_id IS NULL
     LEFT JOIN sequences q ON q.id = e.sequence_id
     LEFT JOIN sequence_steps s ON s.sequence_id = e.sequence_id AND s.step_number = e.step_number
     LEFT JOIN LATERAL (
       SELECT step_number, status, sent_at FROM scheduled_emails
       WHERE campaign_prospect_id = e.campaign_prospect_id AND step_number < e.step_number
       ORDER BY step_number DESC LIMIT 1) b ON true
     WHERE e.workspace_id = $1 AND e.id = ${amongIds('$2', ids)}`),
    [workspaceId, plainArray(ids)],
  )
  return rows
}

/**
 * `lock`: against a stop or an archiving of the mailbox; against other clocks as well where it keeps a pace. `seen`: by this
 * process, and not known to a database that was put back under it.
 */
export async function readMailboxFacts(
  sql: Sql,
  mailboxId: string,
  lock: '' | 'FOR KEY SHARE' | 'FOR NO KEY UPDATE' = '',
  seen: SeenArguments = NOTHING_SEEN,
): Promise<MailboxFacts | undefined> {
  const { rows } = await sql.query<MailboxFacts>(
    prepared(
      `SELECT ${MAILBOX_FACTS}, sending_is_held($2, $3, $4) AS "isHeld", app_now() AS now FROM mailboxes m WHERE id = $1 ${lock}`,
    ),
    [mailboxId, ...seen],
  )
  return rows[0]
}

/** Of many at once, for who only looks. */
export async function readFactsOfMailboxes(sql: Sql, mailboxIds: readonly string[]): Promise<MailboxFacts[]> {
  const { rows } = await sql.query<MailboxFacts>(
    prepared(`SELECT ${MAILBOX_FACTS}, (SELECT sending_is_held($1, $2, $3)) AS "isHeld", app_now() AS now
     FROM mailboxes m WHERE id = ANY($4::uuid[])`),
    [...NOTHING_SEEN, plainArray(mailboxIds)],
  )
  return rows
}

type Shared = {
  now: Date
  calendar: SendingCalendar
  mailbox: MailboxFacts
  used: UseNow
  /** By prospect; by email where there is none. */
  suppressed: ReadonlyMap<string, SuppressedBy>
}

/** One email's facts, as the guards want them. */
export function guardFacts(email: EmailFacts, { now, calendar, mailbox, used, suppressed }: Shared): GuardFacts {
  const suppressedBy = suppressed.get(email.prospectId ?? email.id)
  return {
    now,
    settings: calendar.settings,
    campaign: { status: email.campaignStatus ?? 'RUNNING' },
    prospect: email,
    hadStepBefore: email.hadStepBefore,
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
