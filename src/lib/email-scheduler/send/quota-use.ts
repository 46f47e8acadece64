import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { MailboxLimits, QuotaUse } from '#lib/guardrails/quota.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/local-date.ts'

/** How many emails the workspace has sent, or holds places for, on one of its local dates. */
export async function getDailySentCount(sql: Sql, workspaceId: string, localDate: string): Promise<number> {
  const { rows } = await sql.query<{ reserved: number }>(
    'SELECT reserved FROM workspace_days WHERE workspace_id = $1 AND local_date = $2',
    [workspaceId, localDate],
  )
  return rows[0]?.reserved ?? 0
}

type Mailbox = { id: string; workspaceId: string } & MailboxLimits

const DAY_MS = 86_400_000

/**
 * What counts against the limits now. An email in flight counts from its claim on, and an unknown one stays counted, also
 * once it is dismissed: it may have been sent.
 */
export async function readQuotaUse(
  sql: Sql,
  mailbox: Mailbox,
  calendar: SendingCalendar,
  now: Date,
): Promise<QuotaUse & { freeAt: Date | null }> {
  const today = calendar.dayAt(now.getTime())
  const dayAgo = calendar.dayAt(now.getTime() - DAY_MS)
  const { rows } = await sql.query<Omit<QuotaUse, 'inLast24Hours'> & { sinceDayAgo: number }>(
    prepared(`SELECT (SELECT coalesce(sum(reserved), 0)::int FROM workspace_days WHERE workspace_id = $1 AND local_date = $3) AS "workspaceToday",
       coalesce(sum(reserved) FILTER (WHERE local_date = $3), 0)::int AS "mailboxToday",
       count(*) FILTER (WHERE local_date < $3 AND reserved > 0)::int AS "sentDatesBefore",
       coalesce(sum(reserved) FILTER (WHERE local_date >= $4), 0)::int AS "sinceDayAgo"
     FROM mailbox_days WHERE mailbox_id = $2`),
    [mailbox.workspaceId, mailbox.id, localDateOf(today), localDateOf(dayAgo)],
  )
  const { sinceDayAgo = 0, ...used } = rows[0] ?? { workspaceToday: 0, mailboxToday: 0, sentDatesBefore: 0 }
  // Whole dates hold at least what the last 24 hours do; only where they reach the limit is it worth counting.
  if (sinceDayAgo < mailbox.rollingLimit) return { ...used, inLast24Hours: sinceDayAgo, freeAt: null }
  const sent = await sentInLast24Hours(sql, mailbox, now)
  const oldest = sent[sent.length - mailbox.rollingLimit]
  return { ...used, inLast24Hours: sent.length, freeAt: oldest ? new Date(oldest.getTime() + DAY_MS) : null }
}

/** When each email left, or may have left, that counts against the limit of 24 hours; the oldest first. */
export async function sentInLast24Hours(sql: Sql, mailbox: Mailbox, now: Date): Promise<Date[]> {
  const { rows } = await sql.query<{ at: Date }>(
    `SELECT sent_at AS at FROM scheduled_emails
       WHERE mailbox_id = $1 AND status = 'SENT' AND sent_at > $2::timestamptz - interval '24 hours'
     UNION ALL
     SELECT coalesce(submit_started_at, leased_at) FROM scheduled_emails WHERE mailbox_id = $1 AND status = 'SENDING'
     UNION ALL
     SELECT submit_started_at FROM scheduled_emails
       WHERE workspace_id = $3 AND mailbox_id = $1 AND status = 'OUTCOME_UNKNOWN' AND submit_started_at > $2::timestamptz - interval '24 hours'
     UNION ALL
     SELECT submit_started_at FROM scheduled_emails
       WHERE mailbox_id = $1 AND cancel_reason = '${'DISMISSED' satisfies CancelReason}' AND submit_started_at > $2::timestamptz - interval '24 hours'
     ORDER BY at`,
    [mailbox.id, now, mailbox.workspaceId],
  )
  return rows.map(({ at }) => at)
}
