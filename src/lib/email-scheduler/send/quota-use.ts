import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { MailboxLimits, QuotaUse } from '#lib/guardrails/quota.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'

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

/** `freeAt`: when the limit of 24 hours lets the next one go, where it is reached. */
export type UseNow = QuotaUse & { freeAt: Date | null }

type Counted = Omit<QuotaUse, 'inLast24Hours'> & { sinceDayAgo: number }

const NOTHING_USED: Counted = { workspaceToday: 0, mailboxToday: 0, sentDatesBefore: 0, sinceDayAgo: 0 }

/** Of days `d` of a mailbox; the workspace is $1, today $3, and the day on which the last 24 hours began $4. */
const COUNTED = `(SELECT coalesce(sum(reserved), 0)::int FROM workspace_days WHERE workspace_id = $1 AND local_date = $3) AS "workspaceToday",
       coalesce(sum(d.reserved) FILTER (WHERE d.local_date = $3), 0)::int AS "mailboxToday",
       count(*) FILTER (WHERE d.local_date < $3 AND d.reserved > 0)::int AS "sentDatesBefore",
       coalesce(sum(d.reserved) FILTER (WHERE d.local_date >= $4), 0)::int AS "sinceDayAgo"`

/**
 * What counts against the limits now. An email in flight counts from its claim on, and an unknown one stays counted, also
 * once it is dismissed: it may have been sent.
 */
export async function readQuotaUse(sql: Sql, mailbox: Mailbox, calendar: SendingCalendar, now: Date): Promise<UseNow> {
  const { rows } = await sql.query<Counted>(prepared(`SELECT ${COUNTED} FROM mailbox_days d WHERE d.mailbox_id = $2`), [
    mailbox.workspaceId,
    mailbox.id,
    ...datesAt(calendar, now),
  ])
  return withLast24Hours(sql, mailbox, rows[0] ?? NOTHING_USED, now)
}

/** Of many mailboxes of a workspace at once. */
export async function readUseOfMailboxes(
  sql: Sql,
  workspaceId: string,
  mailboxes: readonly Mailbox[],
  calendar: SendingCalendar,
  now: Date,
): Promise<Map<string, UseNow>> {
  const { rows } = await sql.query<Counted & { id: string }>(
    prepared(
      `SELECT m.id, ${COUNTED} FROM unnest($2::uuid[]) AS m(id) LEFT JOIN mailbox_days d ON d.mailbox_id = m.id GROUP BY m.id`,
    ),
    [workspaceId, plainArray(mailboxes.map(({ id }) => id)), ...datesAt(calendar, now)],
  )
  const counted = new Map(rows.map(({ id, ...one }) => [id, one]))
  const used = new Map<string, UseNow>()
  for (const mailbox of mailboxes)
    used.set(mailbox.id, await withLast24Hours(sql, mailbox, counted.get(mailbox.id) ?? NOTHING_USED, now))
  return used
}

function datesAt(calendar: SendingCalendar, now: Date): [today: string, dayAgo: string] {
  const dateAt = (ms: number) => localDateOf(calendar.dayAt(ms))
  return [dateAt(now.getTime()), dateAt(now.getTime() - DAY_MS)]
}

/** Whole dates hold at least what the last 24 hours do; only where they reach the limit is it worth counting. */
async function withLast24Hours(sql: Sql, mailbox: Mailbox, counted: Counted, now: Date): Promise<UseNow> {
  const { sinceDayAgo, ...used } = counted
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
         -- Which was later, but for a clock that was set back.
         AND cancelled_at > $2::timestamptz - interval '48 hours'
     ORDER BY at`,
    [mailbox.id, now, mailbox.workspaceId],
  )
  return rows.map(({ at }) => at)
}
