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

export type EmailFilter = {
  status?: ScheduledEmailStatus | typeof WAITING | undefined
  /** Those alone that this guard has parked. */
  blocker?: GuardName | undefined
  /** Those alone of this local date; not together with a blocker. */
  date?: string | undefined
  /** From this local date on, in the order of their times; not together with a date or a blocker. */
  from?: string | undefined
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

const AT = 'coalesce(sent_at, next_retry_at, scheduled_for)'

/**
 * From a local date on by their times: read by days from the index, and put in order within one, which never holds more
 * than a day may carry. Takes the id, how many, the date and the time behind which the page begins.
 */
export function timeSql(statuses: readonly ScheduledEmailStatus[]): string {
  const order = `local_date, ${AT}, id`
  const later = `AND local_date >= $4::date AND (${order}) > ($4::date, $5::timestamptz, $2::uuid) ORDER BY ${order} LIMIT $3`
  return `SELECT page.* FROM (${ofEach(statuses, later)}) page ORDER BY ${order} LIMIT $3`
}

/** Where a page in the order of times ends: the date, the time and the id. */
export const PLACE_IN_TIME =
  /^([1-9]\d{3}-\d{2}-\d{2})~(\d{1,13})~([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

function placeIn(from: string, cursor: string | undefined): { id: string; date: string; at: string } {
  const [, date, ms, id] = PLACE_IN_TIME.exec(cursor ?? '') ?? []
  if (!date || !ms || !id) return { id: FIRST, date: from, at: '-infinity' }
  return { id, date, at: new Date(Number(ms)).toISOString() }
}

function ofEach(statuses: readonly ScheduledEmailStatus[], which: string): string {
  return statuses
    .map((status) => `(SELECT * FROM scheduled_emails WHERE campaign_id = $1 AND status = '${status}' ${which})`)
    .join(' UNION ALL ')
}

/** The emails of a campaign (which the caller has found in the workspace), in the order in which they were planned, or of their times. */
export async function listCampaignEmails(
  sql: Sql,
  { id }: Pick<Campaign, 'id'>,
  { status, blocker, date, from, cursor, limit }: EmailFilter,
): Promise<{ emails: CampaignEmail[]; nextCursor: string | null }> {
  const statuses = status === undefined ? STATUSES : status === WAITING ? WAITING_STATUSES : [status]
  const place = from ? placeIn(from, cursor) : { id: cursor ?? FIRST, date: '', at: '' }
  const [page, narrowed] = from
    ? [timeSql(statuses), [place.date, place.at]]
    : date
      ? [daySql(statuses), [date]]
      : blocker
        ? [parkedSql(statuses), [blocker]]
        : [pageSql(statuses), []]
  const { rows } = await sql.query<CampaignEmail>(
    `SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.prospect_id AS "prospectId", p.email AS prospect,
       e.step_number AS "stepNumber", m.address AS mailbox, e.status, e.scheduled_for AS "scheduledFor", e.sent_at AS "sentAt",
       e.cancelled_at AS "cancelledAt",
       e.next_retry_at AS "nextRetryAt", e.attempts, e.last_error AS "lastError", e.cancel_reason AS "cancelReason",
       e.blocker AS "parkedBy",
       e.chosen_at AS "chosenAt", e.limited_by AS "limitedBy", e.limited_on::text AS "limitedOn", e.local_date::text AS "localDate"
     FROM (${page}) e
     JOIN prospects p ON p.id = e.prospect_id JOIN mailboxes m ON m.id = e.mailbox_id
     ORDER BY ${from ? `e.local_date, coalesce(e.sent_at, e.next_retry_at, e.scheduled_for), e.id` : 'e.id'}`,
    [id, place.id, limit + 1, ...narrowed],
  )
  const emails = rows.slice(0, limit)
  const last = emails.at(-1)
  if (rows.length <= limit || !last) return { emails, nextCursor: null }
  const at = last.sentAt ?? last.nextRetryAt ?? last.scheduledFor
  return { emails, nextCursor: from ? `${last.localDate}~${at.getTime()}~${last.id}` : last.id }
}
