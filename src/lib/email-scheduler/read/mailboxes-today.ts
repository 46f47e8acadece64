import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { isSpaced } from '#lib/email-scheduler/send/claim.ts'
import { getDailySentCount, sentInLast24Hours } from '#lib/email-scheduler/send/quota-use.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { type LimitsOfToday, limitsOfToday, type MailboxToday, mailboxToday } from '#lib/guardrails/limits-of-today.ts'
import type { QuotaUse } from '#lib/guardrails/quota.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { getNextAvailableSlot } from '#lib/guardrails/turn.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { MailboxStatus } from '#lib/platform/generated/enums.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'

/** Counting stops here; no mailbox sends more in a day. */
const COUNTED_MAX = 10_000

/**
 * What running campaigns have due from a mailbox before a moment, each campaign a range of the index of what is due. The
 * count and the list behind it are of these rows. `workspace`, `mailbox` and `until` are SQL.
 */
export const dueOfMailbox = (workspace: string, mailbox: string, until: string) =>
  `SELECT e.id, e.ready_at AS at, e.ready_at AS due FROM campaigns c CROSS JOIN LATERAL (
     SELECT id, ready_at FROM scheduled_emails
     WHERE mailbox_id = ${mailbox} AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at < ${until}
     ORDER BY ready_at LIMIT ${COUNTED_MAX}) e
   WHERE c.workspace_id = ${workspace} AND c.status = 'RUNNING' LIMIT ${COUNTED_MAX}`
const DAY_MS = 86_400_000

export type MailboxOutlook = MailboxToday & {
  /** The local date that is today, and when it ends: what `sent` and `waiting` were counted by. */
  date: string
  until: Date
  /** Of running campaigns, what is due until the day ends; at COUNTED_MAX it is at least that many. */
  waiting: number
  next: { emailId: string; at: Date; to: string | null } | null
}

/** What each mailbox, archived ones too, has sent today, may still send, and sends next. By id. */
export async function readMailboxOutlooks(sql: Sql, workspaceId: string): Promise<ReadonlyMap<string, MailboxOutlook>> {
  const { mailboxes, ...day } = await readDay(sql, workspaceId)
  const [date, until] = [day.date, endOfToday(day.calendar, day.now)]
  const waiting = await readWaiting(sql, workspaceId, until)
  return new Map(
    mailboxes.map((mailbox) => {
      const own = waiting.get(mailbox.id)
      const next = own ? nextOf(day, mailbox, own) : null
      const today = { ...mailboxToday(day.calendar.settings, mailbox), date, until, waiting: own?.dueToday ?? 0 }
      return [mailbox.id, { ...today, next }]
    }),
  )
}

/**
 * Of the mailboxes that are connected: one that is stopped sends nothing, whatever its limit. `wished`: as they would be
 * by other settings.
 */
export async function readLimitsOfToday(
  sql: Sql,
  workspaceId: string,
  wished?: SendingSettings,
): Promise<LimitsOfToday> {
  const { mailboxes, ...day } = await readDay(sql, workspaceId, wished)
  return limitsOfToday({ ...day, mailboxes: mailboxes.filter(({ status }) => status === 'CONNECTED') })
}

type DayMailbox = {
  id: string
  status: MailboxStatus
  limits: { dailyLimit: number; rollingLimit: number }
  used: Omit<QuotaUse, 'workspaceToday'>
  recent: readonly Date[]
  restsUntil: Date | null
  lastHandedOverAt: Date | null
}

type Day = { now: Date; date: string; calendar: SendingCalendar; workspaceToday: number; mailboxes: DayMailbox[] }

type Row = Omit<QuotaUse, 'workspaceToday' | 'inLast24Hours'> & {
  id: string
  status: MailboxStatus
  dailyLimit: number
  rollingLimit: number
  deferredUntil: Date | null
  nextAllowedAt: Date | null
  lastHandedOverAt: Date | null
  sinceDayAgo: number
}

/** In one statement, however many mailboxes: as readQuotaUse in send/quota-use.ts counts them one by one. */
async function readDay(sql: Sql, workspaceId: string, wished?: SendingSettings): Promise<Day> {
  const settings = wished ?? (await readSendingSettings(sql, workspaceId))
  if (!settings) throw notFound()
  const calendar = calendarOf(settings)
  const localDateAt = (ms: number) => localDateOf(calendar.dayAt(ms))
  const now = await appNow(sql)
  const [today, dayAgo] = [localDateAt(now.getTime()), localDateAt(now.getTime() - DAY_MS)]
  const { rows } = await sql.query<Row>(
    `SELECT m.id, m.status, m.daily_limit AS "dailyLimit", m.rolling_limit AS "rollingLimit", m.last_handed_over_at AS "lastHandedOverAt",
       greatest(m.deferred_until, m.fault_until) AS "deferredUntil", m.next_allowed_at AS "nextAllowedAt", d.*
     FROM mailboxes m CROSS JOIN LATERAL (
       SELECT coalesce(sum(reserved) FILTER (WHERE local_date = $2), 0)::int AS "mailboxToday",
         count(*) FILTER (WHERE local_date < $2 AND reserved > 0)::int AS "sentDatesBefore",
         coalesce(sum(reserved) FILTER (WHERE local_date >= $3), 0)::int AS "sinceDayAgo"
       FROM mailbox_days WHERE mailbox_id = m.id) d
     WHERE m.workspace_id = $1 ORDER BY m.address`,
    [workspaceId, today, dayAgo],
  )
  const mailboxes: DayMailbox[] = []
  for (const row of rows) {
    const { id, status, dailyLimit, rollingLimit, mailboxToday, sentDatesBefore, sinceDayAgo } = row
    const isNear = sinceDayAgo >= rollingLimit
    const recent = isNear ? await sentInLast24Hours(sql, { id, workspaceId, dailyLimit, rollingLimit }, now) : []
    mailboxes.push({
      id,
      status,
      limits: { dailyLimit, rollingLimit },
      used: { mailboxToday, sentDatesBefore, inLast24Hours: isNear ? recent.length : sinceDayAgo },
      recent,
      restsUntil: later(row.deferredUntil, isSpaced(settings) ? row.nextAllowedAt : null),
      lastHandedOverAt: row.lastHandedOverAt,
    })
  }
  const workspaceToday = await getDailySentCount(sql, workspaceId, today)
  return { now, date: today, calendar, workspaceToday, mailboxes }
}

type Waiting = {
  mailboxId: string
  dueToday: number
  emailId: string
  readyAt: Date
  jitterSeconds: number
  to: string | null
}

/** Campaign by campaign, so that each is a range of the index of what is due. */
async function readWaiting(sql: Sql, workspaceId: string, until: Date): Promise<ReadonlyMap<string, Waiting>> {
  const { rows } = await sql.query<Waiting>(
    `SELECT m.id AS "mailboxId", due.emails AS "dueToday", first.id AS "emailId", first.ready_at AS "readyAt",
       first.jitter_seconds AS "jitterSeconds", p.email AS "to"
     FROM mailboxes m CROSS JOIN LATERAL (
       SELECT e.id, e.ready_at, e.jitter_seconds, e.prospect_id FROM campaigns c CROSS JOIN LATERAL (
         SELECT id, ready_at, jitter_seconds, prospect_id FROM scheduled_emails
         WHERE mailbox_id = m.id AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL
         ORDER BY ready_at LIMIT 1) e
       WHERE c.workspace_id = $1 AND c.status = 'RUNNING' ORDER BY e.ready_at LIMIT 1) first
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS emails FROM (
         ${dueOfMailbox('$1', 'm.id', '$2')}) counted) due
     LEFT JOIN prospects p ON p.id = first.prospect_id
     WHERE m.workspace_id = $1 AND m.status <> 'ARCHIVED'`,
    [workspaceId, until],
  )
  return new Map(rows.map((row) => [row.mailboxId, row]))
}

/** Null where its mailbox waits for a person: then no time can be told. */
function nextOf(
  { now, calendar, workspaceToday }: Omit<Day, 'mailboxes' | 'date'>,
  { status, limits, used, recent, restsUntil, lastHandedOverAt }: DayMailbox,
  { emailId, to, readyAt, jitterSeconds }: Waiting,
): MailboxOutlook['next'] {
  if (status !== 'CONNECTED') return null
  const at = getNextAvailableSlot({
    ...{ now, calendar, limits, recent, restsUntil, lastHandedOverAt },
    used: { ...used, workspaceToday },
    places: [{ readyAt, jitterSeconds }],
  })
  return at && { emailId, at, to }
}

function endOfToday(calendar: SendingCalendar, now: Date): Date {
  return new Date(calendar.startMs(calendar.dayAt(now.getTime()) + 1))
}

function later(one: Date | null, other: Date | null): Date | null {
  return one && other ? (one > other ? one : other) : (one ?? other)
}
