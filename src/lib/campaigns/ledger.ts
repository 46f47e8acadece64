import { peopleCells, peopleOf } from '#lib/audience/people-counts.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EnrolmentState, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'

/**
 * A campaign's two ledgers. They balance when every enrolment is in one state and every step of every planned one has
 * exactly one email.
 */
export type Ledger = {
  enrolments: Record<EnrolmentState, number> & { total: number }
  emails: Record<ScheduledEmailStatus, number> & { total: number; wanted: number }
  balances: boolean
  /** Of all that is to be sent or planned, how much will not move any more: 0 to 1. */
  done: number
}

export const ENROLMENT_STATES = ['PENDING', 'BLOCKED', 'SKIPPED', 'ACTIVE', 'FINISHED'] as const

/** Those of whom every step has its email, or had: who is out of them was never planned. */
export const PLANNED_STATES = ['ACTIVE', 'FINISHED'] as const satisfies readonly EnrolmentState[]

export const NO_ENROLMENTS: Record<EnrolmentState, number> = {
  PENDING: 0,
  BLOCKED: 0,
  SKIPPED: 0,
  ACTIVE: 0,
  FINISHED: 0,
}
const NO_EMAILS: Record<ScheduledEmailStatus, number> = {
  SCHEDULED: 0,
  SENDING: 0,
  SENT: 0,
  FAILED: 0,
  RETRY_SCHEDULED: 0,
  OUTCOME_UNKNOWN: 0,
  PERMANENTLY_FAILED: 0,
  CANCELLED: 0,
}

/**
 * How many emails of campaigns are in each state, by date: the cells that are kept for the queue's page, with what ticks have not
 * added up yet, which is read once however many campaigns are asked for. Counted one by one, a campaign of a million would
 * take longer than its page may. `which` compares the campaign's id.
 */
export const emailCells = (which: string) => `SELECT k.campaign_id, k.local_date, k.status, k.emails
    FROM campaigns c JOIN email_counts k ON k.workspace_id = c.workspace_id AND k.campaign_id = c.id
    WHERE c.id ${which} AND k.mailbox_id = '00000000-0000-0000-0000-000000000000'
    UNION ALL SELECT campaign_id, local_date, status, change FROM email_count_changes WHERE campaign_id ${which}`

/** One statement, so that both ledgers are of the same moment. */
export const LEDGER_SQL = `SELECT 'enrolments' AS ledger, state AS name, sum(people)::int AS count, sum(steps)::int AS steps
    FROM (${peopleCells('= $1')}) people GROUP BY state HAVING sum(people) <> 0
  UNION ALL
  SELECT 'emails', status::text, sum(emails)::int, 0 FROM (${emailCells('= $1')}) cells GROUP BY status HAVING sum(emails) <> 0`

type LedgerRow = { ledger: 'enrolments' | 'emails'; name: string; count: number; steps: number }

export async function readLedger(sql: Sql, campaignId: string): Promise<Ledger> {
  const { rows } = await sql.query<LedgerRow>(LEDGER_SQL, [campaignId])
  const total = (ledger: string) => of(rows, ledger).reduce((sum, { count }) => sum + count, 0)
  const wanted = of(rows, 'enrolments').reduce((sum, { steps }) => sum + steps, 0)
  const enrolments = { ...NO_ENROLMENTS, ...counted(rows, 'enrolments'), total: total('enrolments') }
  const emails = { ...NO_EMAILS, ...counted(rows, 'emails'), total: total('emails'), wanted }
  const over = emails.SENT + emails.PERMANENTLY_FAILED + emails.CANCELLED + emails.OUTCOME_UNKNOWN
  const planned = enrolments.ACTIVE + enrolments.FINISHED
  const stepsEach = planned > 0 ? wanted / planned : 1
  const all = emails.total + enrolments.PENDING * stepsEach
  return { enrolments, emails, balances: emails.total === wanted, done: all > 0 ? over / all : 0 }
}

const of = (rows: readonly LedgerRow[], ledger: string) => rows.filter((row) => row.ledger === ledger)
const counted = (rows: readonly LedgerRow[], ledger: string) =>
  Object.fromEntries(of(rows, ledger).map(({ name, count }) => [name, count]))

/** A ledger in short, for a line of a list. */
export type LedgerSums = {
  people: number
  emails: { waiting: number; sent: number; failed: number; unknown: number; cancelled: number }
}

/** The sums of many campaigns in one statement, from where a ledger has them. */
export const SUMS_SQL = `SELECT c.id, p.people, coalesce(e.waiting, 0)::int AS waiting,
    coalesce(e.sent, 0)::int AS sent, coalesce(e.failed, 0)::int AS failed, coalesce(e.unknown, 0)::int AS unknown,
    coalesce(e.cancelled, 0)::int AS cancelled
  FROM unnest($1::uuid[]) AS c(id)
  CROSS JOIN LATERAL (SELECT ${peopleOf('c.id')} AS people) p
  LEFT JOIN (
    SELECT campaign_id,
      sum(emails) FILTER (WHERE status IN ('SCHEDULED', 'SENDING', 'RETRY_SCHEDULED', 'FAILED')) AS waiting,
      sum(emails) FILTER (WHERE status = 'SENT') AS sent,
      sum(emails) FILTER (WHERE status = 'PERMANENTLY_FAILED') AS failed,
      sum(emails) FILTER (WHERE status = 'OUTCOME_UNKNOWN') AS unknown,
      sum(emails) FILTER (WHERE status = 'CANCELLED') AS cancelled
    FROM (${emailCells('= ANY($1::uuid[])')}) cells GROUP BY 1) e ON e.campaign_id = c.id`

export async function withSums<Campaign extends { id: string }>(
  sql: Sql,
  campaigns: readonly Campaign[],
): Promise<(Campaign & LedgerSums)[]> {
  const { rows } = await sql.query<{ id: string; people: number } & LedgerSums['emails']>(SUMS_SQL, [
    campaigns.map(({ id }) => id),
  ])
  const sums = new Map(rows.map(({ id, people, ...emails }) => [id, { people, emails }]))
  return campaigns.map((campaign) => ({ ...campaign, ...(sums.get(campaign.id) ?? NOTHING) }))
}

const NOTHING: LedgerSums = { people: 0, emails: { waiting: 0, sent: 0, failed: 0, unknown: 0, cancelled: 0 } }
