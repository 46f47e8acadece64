import type { Campaign } from '#lib/campaigns/campaign.ts'
import { emailCells } from '#lib/campaigns/ledger.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { clockMinutesOf } from '#lib/guardrails/calendar.ts'
import { limitOfMailbox } from '#lib/guardrails/quota.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { dayOf, localDateOf } from '#lib/platform/time/local-date.ts'

export type CampaignDay = {
  date: string
  sent: number
  /** Scheduled for it, or to be tried again. */
  waiting: number
  failed: number
  unknown: number
  /** The workspace has no place left on it: its quota, or the limit of every mailbox, is planned out. */
  isFull: boolean
  /** The window does not open on it: a day off, or not a day for sending. */
  isClosed: boolean
  /** By how much the clocks are put forward; less than 0: back. */
  clockMinutes: number
}

export type CampaignCalendar = {
  today: string
  /** Of all of its emails that are sent or wait. */
  firstDate: string | null
  lastDate: string | null
  days: CampaignDay[]
}

type Counted = { date: string; sent: number; waiting: number; failed: number; unknown: number }

/** Of a campaign, from its first date to its last. From what is kept: a month of a million emails is some hundred cells. */
export const DAYS_SQL = `SELECT to_char(local_date, 'YYYY-MM-DD') AS date,
    coalesce(sum(emails) FILTER (WHERE status = 'SENT'), 0)::int AS sent,
    coalesce(sum(emails) FILTER (WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING', 'FAILED')), 0)::int AS waiting,
    coalesce(sum(emails) FILTER (WHERE status = 'PERMANENTLY_FAILED'), 0)::int AS failed,
    coalesce(sum(emails) FILTER (WHERE status = 'OUTCOME_UNKNOWN'), 0)::int AS unknown
  FROM (${emailCells('= $1')}) cells WHERE local_date BETWEEN $2::date AND $3::date AND status <> 'CANCELLED'
  GROUP BY local_date HAVING sum(emails) > 0 ORDER BY local_date`

export function readCampaignDays(sql: Sql, campaignId: string, from: string, to: string): Promise<Counted[]> {
  return sql.query<Counted>(DAYS_SQL, [campaignId, from, to]).then(({ rows }) => rows)
}

const LAST_DAYS = 60

/** What the worker did of a campaign on each of the last days on which it did something, newest first. */
export async function readLastDays(
  sql: Sql,
  { id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>,
): Promise<Pick<Counted, 'date' | 'sent' | 'failed' | 'unknown'>[]> {
  const settings = await readSendingSettings(sql, workspaceId)
  if (!settings) return []
  const today = calendarOf(settings).dayAt((await appNow(sql)).getTime())
  const days = await readCampaignDays(sql, id, localDateOf(today - LAST_DAYS), localDateOf(today))
  return days
    .filter(({ sent, failed, unknown }) => sent + failed + unknown > 0)
    .map(({ date, sent, failed, unknown }) => ({ date, sent, failed, unknown }))
    .toReversed()
}

/** A month of a campaign: what was sent and what is planned on each date, and what there is to know of the date. */
export async function readCalendar(
  sql: Sql,
  { id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>,
  month: string | undefined,
): Promise<CampaignCalendar> {
  const settings = await readSendingSettings(sql, workspaceId)
  if (!settings) return { today: '', firstDate: null, lastDate: null, days: [] }
  const calendar = calendarOf(settings)
  const today = localDateOf(calendar.dayAt((await appNow(sql)).getTime()))
  const dates = datesOf(month ?? today.slice(0, 7))
  const [from = today, to = today] = [dates[0], dates.at(-1)]
  const counted = new Map((await readCampaignDays(sql, id, from, to)).map((row) => [row.date, row]))
  const full = await readFullDates(sql, workspaceId, settings, today, to)
  const days = dates.map((date) => {
    const day = calendar.day(dayOf(date))
    return {
      ...{ date, ...(counted.get(date) ?? NOTHING) },
      isFull: full.has(date),
      isClosed: day.open.length === 0,
      clockMinutes: clockMinutesOf(day),
    }
  })
  return { today, ...(await readBounds(sql, id)), days }
}

const NOTHING = { sent: 0, waiting: 0, failed: 0, unknown: 0 }

function datesOf(month: string): string[] {
  const dates: string[] = []
  for (let day = dayOf(`${month}-01`); localDateOf(day).startsWith(month); day++) dates.push(localDateOf(day))
  return dates
}

async function readBounds(
  sql: Sql,
  campaignId: string,
): Promise<{ firstDate: string | null; lastDate: string | null }> {
  const end = (
    order: 'ASC' | 'DESC',
  ) => `SELECT local_date FROM scheduled_emails WHERE campaign_id = $1 AND status = s.status
    ORDER BY campaign_id ${order}, status ${order}, local_date ${order} LIMIT 1`
  const { rows } = await sql.query<{ firstDate: string | null; lastDate: string | null }>(
    `SELECT to_char(min(first.local_date), 'YYYY-MM-DD') AS "firstDate", to_char(max(last.local_date), 'YYYY-MM-DD') AS "lastDate"
     FROM unnest('{SENT,SCHEDULED,RETRY_SCHEDULED}'::scheduled_email_status[]) AS s(status)
     CROSS JOIN LATERAL (${end('ASC')}) first CROSS JOIN LATERAL (${end('DESC')}) last`,
    [campaignId],
  )
  return rows[0] ?? { firstDate: null, lastDate: null }
}

type Lane = { mailboxId: string; date: string; emails: number }

/** The dates to come that can take no more: counted over all campaigns of the workspace, since they share the places. */
async function readFullDates(
  sql: Sql,
  workspaceId: string,
  settings: SendingSettings,
  today: string,
  to: string,
): Promise<Set<string>> {
  const full = new Set<string>()
  if (to < today) return full
  const { rows: mailboxes } = await sql.query<{
    id: string
    dailyLimit: number
    rollingLimit: number
    sentDates: number
  }>(
    `SELECT id, daily_limit AS "dailyLimit", rolling_limit AS "rollingLimit",
       (SELECT count(*) FROM mailbox_days d WHERE d.mailbox_id = m.id AND d.local_date < $2 AND d.reserved > 0)::int AS "sentDates"
     FROM mailboxes m WHERE workspace_id = $1 AND status = 'CONNECTED'`,
    [workspaceId, today],
  )
  const { rows: lanes } = await sql.query<Lane>(
    `SELECT mailbox_id AS "mailboxId", to_char(local_date, 'YYYY-MM-DD') AS date, emails FROM planned_days
     WHERE workspace_id = $1 AND plan_version = (SELECT version FROM workspace_plans WHERE workspace_id = $1)
       AND local_date BETWEEN $2::date AND $3::date ORDER BY local_date`,
    [workspaceId, today, to],
  )
  const byDate = Map.groupBy(lanes, ({ date }) => date)
  const datesUsed = new Map<string, number>()
  for (const [date, ofDate] of byDate) {
    const emailsOf = new Map(ofDate.map(({ mailboxId, emails }) => [mailboxId, emails]))
    const sum = ofDate.reduce((all, { emails }) => all + emails, 0)
    const isPlannedOut = ({ id, sentDates, ...limits }: (typeof mailboxes)[number]) =>
      (emailsOf.get(id) ?? 0) >= limitOfMailbox(settings, limits, sentDates + (datesUsed.get(id) ?? 0))
    if (sum >= settings.dailyQuota || (mailboxes.length > 0 && mailboxes.every(isPlannedOut))) full.add(date)
    for (const { mailboxId } of ofDate) datesUsed.set(mailboxId, (datesUsed.get(mailboxId) ?? 0) + 1)
  }
  return full
}
