import type { Campaign } from '#lib/campaigns/campaign.ts'
import type { LimitedBy } from '#lib/email-scheduler/plan/plan-capacity.ts'
import { type ScheduledEmailStatus, STATUSES } from '#lib/email-scheduler/states.ts'
import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'

export type CampaignEmail = {
  id: string
  enrolmentId: string
  prospectId: string
  prospect: string | null
  stepNumber: number
  mailbox: string
  status: ScheduledEmailStatus
  scheduledFor: Date
  sentAt: Date | null
  cancelledAt: Date | null
  nextRetryAt: Date | null
  attempts: number
  lastError: string | null
  cancelReason: string | null
  parkedBy: GuardName | null
  /** When a person wanted it to go, whatever the plan had said. */
  chosenAt: Date | null
  /** What kept the plan from an earlier time, and on which local date; null of what was planned before this was kept. */
  limitedBy: LimitedBy | null
  limitedOn: string | null
  localDate: string
}

/** States that are counted as one: what a ledger in short calls waiting. */
export const WAITING = 'WAITING'
const WAITING_STATUSES: readonly ScheduledEmailStatus[] = ['SCHEDULED', 'SENDING', 'FAILED', 'RETRY_SCHEDULED']

/** As they were planned; or by their times, the first first or the last first. */
export const EMAIL_ORDERS = ['planned', 'soonest', 'latest'] as const
export type EmailOrder = (typeof EMAIL_ORDERS)[number]

export type EmailFilter = {
  status?: ScheduledEmailStatus | typeof WAITING | undefined
  /** Those alone that this guard has parked: they have no time of their own, and come in the order of the plan. */
  blocker?: GuardName | undefined
  /** Those alone of this local date; not together with a blocker. */
  date?: string | undefined
  /** From this local date on, the soonest first; not together with a date or a blocker. */
  from?: string | undefined
  order?: EmailOrder | undefined
  cursor?: string | undefined
  limit: number
}

const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * The next page of one state, or of each of some: every part is read in its order from the index, so that a page of a
 * campaign of millions costs what it holds. The states stand in the statement itself: of one that is named only when it
 * runs, the planner takes the average for true, and reads the whole queue for the one that nobody is in. Takes the campaign,
 * the cursor and how many.
 */
export function pageSql(statuses: readonly ScheduledEmailStatus[]): string {
  const page = ofEach(statuses, 'AND id > $2 ORDER BY id LIMIT $3')
  return `SELECT page.* FROM (${page}) page ORDER BY page.id LIMIT $3`
}

/** What a guard has parked, from an index of that alone. Takes its name as well. */
function parkedSql(statuses: readonly ScheduledEmailStatus[]): string {
  const wanted = statuses.map((status) => `'${status}'`).join(', ')
  return `SELECT * FROM scheduled_emails
    WHERE campaign_id = $1 AND status IN (${wanted}) AND id > $2 AND blocker = $4 ORDER BY id LIMIT $3`
}

/** All of one day are read for a page: never more than a day may carry. Takes the day as well. */
function daySql(statuses: readonly ScheduledEmailStatus[]): string {
  const day = ofEach(statuses, 'AND local_date = $4::date OFFSET 0')
  return `SELECT page.* FROM (${day}) page WHERE page.id > $2 ORDER BY page.id LIMIT $3`
}

/** When it was sent, or is tried again, or was to go. */
const AT = 'coalesce(sent_at, next_retry_at, scheduled_for)'

/**
 * By their times, in the order of the index: a page costs what it holds, also of a day on which thousands go, and of
 * thousands that a person gave the same minute. Takes the id, how many, the date and the time behind which the page begins, and of one day that day as well.
 */
export function timeSql(
  statuses: readonly ScheduledEmailStatus[],
  order: Exclude<EmailOrder, 'planned'>,
  isOfOneDay = false,
): string {
  const [sign, way] = order === 'soonest' ? ['>', ''] : ['<', ' DESC']
  const by = ['local_date', AT, 'id'].map((one) => `${one}${way}`).join(', ')
  const behind = `AND local_date ${sign}= $4::date AND (local_date, ${AT}, id) ${sign} ($4::date, $5::timestamptz, $2::uuid)`
  const day = isOfOneDay ? 'AND local_date = $6::date' : ''
  return `SELECT page.* FROM (${ofEach(statuses, `${behind} ${day} ORDER BY ${by} LIMIT $3`)}) page ORDER BY ${by} LIMIT $3`
}

/** Where a page in the order of times ends: the date, the time and the id. */
export const PLACE_IN_TIME =
  /^([1-9]\d{3}-\d{2}-\d{2})~(\d{1,13})~([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

type Place = { id: string; date: string; at: string }

const BEGINNINGS: Record<Exclude<EmailOrder, 'planned'>, Place> = {
  soonest: { id: FIRST, date: '-infinity', at: '-infinity' },
  latest: { id: 'ffffffff-ffff-ffff-ffff-ffffffffffff', date: 'infinity', at: 'infinity' },
}

function placeIn(cursor: string | undefined, beginning: Place): Place {
  const [, date, ms, id] = PLACE_IN_TIME.exec(cursor ?? '') ?? []
  return date && ms && id ? { id, date, at: new Date(Number(ms)).toISOString() } : beginning
}

function ofEach(statuses: readonly ScheduledEmailStatus[], which: string): string {
  return statuses
    .map((status) => `(SELECT * FROM scheduled_emails WHERE campaign_id = $1 AND status = '${status}' ${which})`)
    .join(' UNION ALL ')
}

type Asked = { page: string; values: unknown[]; orderBy: string; cursorOf: (last: CampaignEmail) => string }

function askedBy(
  statuses: readonly ScheduledEmailStatus[],
  { blocker, date, from, cursor, order = 'planned' }: EmailFilter,
): Asked {
  if (from || order !== 'planned') {
    const way = order === 'latest' && !from ? 'latest' : 'soonest'
    const beginning = from ? { ...BEGINNINGS.soonest, date: from } : BEGINNINGS[way]
    const place = placeIn(cursor, beginning)
    const end = way === 'latest' ? ' DESC' : ''
    return {
      page: timeSql(statuses, way, date !== undefined),
      values: [place.id, place.date, place.at, ...(date ? [date] : [])],
      orderBy: `e.local_date${end}, coalesce(e.sent_at, e.next_retry_at, e.scheduled_for)${end}, e.id${end}`,
      cursorOf: ({ id, localDate, sentAt, nextRetryAt, scheduledFor }) =>
        `${localDate}~${(sentAt ?? nextRetryAt ?? scheduledFor).getTime()}~${id}`,
    }
  }
  const asPlanned = { orderBy: 'e.id', cursorOf: ({ id }: CampaignEmail) => id }
  const after = cursor ?? FIRST
  if (date) return { page: daySql(statuses), values: [after, date], ...asPlanned }
  if (blocker) return { page: parkedSql(statuses), values: [after, blocker], ...asPlanned }
  return { page: pageSql(statuses), values: [after], ...asPlanned }
}

/** The emails of a campaign (which the caller has found in the workspace), in the order in which they were planned, or of their times. */
export async function listCampaignEmails(
  sql: Sql,
  { id }: Pick<Campaign, 'id'>,
  filter: EmailFilter,
): Promise<{ emails: CampaignEmail[]; nextCursor: string | null }> {
  const { status, limit } = filter
  const statuses = status === undefined ? STATUSES : status === WAITING ? WAITING_STATUSES : [status]
  const { page, values, orderBy, cursorOf } = askedBy(statuses, filter)
  const [first, ...narrowed] = values
  const { rows } = await sql.query<CampaignEmail>(
    `SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.prospect_id AS "prospectId", p.email AS prospect,
       e.step_number AS "stepNumber", m.address AS mailbox, e.status, e.scheduled_for AS "scheduledFor", e.sent_at AS "sentAt",
       e.cancelled_at AS "cancelledAt",
       e.next_retry_at AS "nextRetryAt", e.attempts, e.last_error AS "lastError", e.cancel_reason AS "cancelReason",
       e.blocker AS "parkedBy",
       e.chosen_at AS "chosenAt", e.limited_by AS "limitedBy", e.limited_on::text AS "limitedOn", e.local_date::text AS "localDate"
     FROM (${page}) e
     JOIN prospects p ON p.id = e.prospect_id JOIN mailboxes m ON m.id = e.mailbox_id
     ORDER BY ${orderBy}`,
    [id, first, limit + 1, ...narrowed],
  )
  const emails = rows.slice(0, limit)
  const last = emails.at(-1)
  return { emails, nextCursor: rows.length > limit && last ? cursorOf(last) : null }
}
