import { MAYBE_SENT_ROWS, MAYBE_SENT_ROWS_OF_GROUP } from '#lib/email-scheduler/read/after-restore.ts'
import { EMAIL_ROWS, type EmailRow, mapScheduledEmail } from '#lib/email-scheduler/read/email-response.ts'
import { dueOfMailbox } from '#lib/email-scheduler/read/mailboxes-today.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Doubt } from '#lib/platform/generated/enums.ts'
import { emailsHeldOn } from '../doctor/emails-on.ts'
import { countAccepted } from '../promise/read-promise.ts'
import { type SettledWay, WERE_UNKNOWN } from '../promise/settled-unknowns.ts'
import { OPEN_EMAILS } from './attention.ts'
import { type CountedByTime, ROWS_BY_TIME, SENT_OF_CAMPAIGN } from './counted.ts'
import { cursorOf } from './rows-cursor.ts'

/** What a count counted, on the overview or on another page. */
export type Behind =
  | { what: CountedByTime; from: Date; until: Date }
  | { what: 'open-failed' | 'open-unknown' }
  | { what: 'blocked'; campaignId: string }
  | { what: 'sent-of-campaign'; campaignId: string; from: Date; until: Date }
  | { what: 'mailbox-used'; mailboxId: string; date: string }
  | { what: 'mailbox-due'; mailboxId: string; until: Date }
  | { what: 'accepted' | 'accepted-again' }
  | { what: 'were-unknown'; way?: SettledWay | undefined }
  | { what: 'maybe-sent' }
  /** Transactional email has no campaign. */
  | { what: 'maybe-sent-of-group'; mailboxId: string; doubt: Doubt; campaignId?: string | undefined }

export type RowBehind = {
  /** Of the email, of the person, or of a person's enrolment. */
  id: string
  at: Date
  prospectId: string | null
  /** The address; empty where the person was erased. */
  recipient: string | null
  campaign: { id: string; name: string } | null
  /** What became of the email, or why the person is blocked. */
  sentence: string | null
}

export type RowsBehind = { total: number; rows: RowBehind[]; nextCursor: string | null }

type Page = { cursor?: { at: Date; id: string } | undefined; limit: number }

/** Counting a list stops here, as the counts that lead to it do. */
const COUNTED_MAX = 10_000

/** People who are blocked came in the order of their enrolments; the rest goes by its own time. */
const BLOCKED = `SELECT cp.prospect_id AS id, cp.created_at AS at, cp.created_at AS due
  FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
  WHERE c.workspace_id = $1 AND c.id = $2 AND cp.reason_code = 'missing-fields' AND cp.state = 'BLOCKED'`

/** As the doctor compares them with the count that a mailbox's limit holds by: what was sent, and what may have been. */
const USED = `SELECT id, at, at AS due FROM (SELECT $3::date AS local_date) d CROSS JOIN LATERAL (SELECT held.* FROM ${emailsHeldOn(
  {
    mailboxes: 'SELECT id, workspace_id FROM mailboxes WHERE workspace_id = $1 AND id = $2',
    columns: 'e.id, coalesce(e.sent_at, e.submit_started_at, e.leased_at, e.updated_at) AS at',
  },
)}) used`

const DUE = `SELECT due.* FROM mailboxes m CROSS JOIN LATERAL (${dueOfMailbox('$1', 'm.id', '$3')}) due
  WHERE m.workspace_id = $1 AND m.id = $2`

/** When its outcome was unknown last. */
const AT_LAST = `(SELECT max(a.ended_at) FROM email_attempts a WHERE a.email_id = were.id AND a.outcome = 'UNKNOWN')`
const wereUnknown = (condition: string) =>
  `SELECT id, ${AT_LAST} AS at, ${AT_LAST} AS due FROM (${WERE_UNKNOWN}) were WHERE ${condition}`

/** Without those that a person took as delivered. Mailbox by mailbox only as many as a page takes, however many were sent. */
const ACCEPTED = `SELECT e.id, e.sent_at AS at, e.sent_at AS due FROM mailboxes m CROSS JOIN LATERAL (
    SELECT id, sent_at FROM scheduled_emails WHERE mailbox_id = m.id AND status = 'SENT'
      AND (sent_at, id) < ($2::timestamptz, $3::uuid)
      AND id <> ALL (ARRAY(SELECT were.id FROM (${WERE_UNKNOWN}) were WHERE were.way = 'delivered'))
    ORDER BY sent_at DESC, id DESC LIMIT $4) e
  WHERE m.workspace_id = $1`
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const OF_PEOPLE: readonly string[] = ['bounced', 'replied', 'unsubscribed', 'blocked']
const OF_A_HOLD: readonly string[] = ['maybe-sent', 'maybe-sent-of-group']
const OLDEST_FIRST: readonly string[] = ['planned', 'mailbox-due', ...OF_A_HOLD]

/** A page of what a count counted, from the statement that counted it. What waits comes first things first, the rest newest first. */
export async function readRowsBehind(
  sql: Sql,
  workspaceId: string,
  behind: Behind,
  { cursor, limit }: Page,
): Promise<RowsBehind> {
  const { text, values } = sourceOf(workspaceId, behind, { cursor, limit })
  const isAscending = OLDEST_FIRST.includes(behind.what)
  const parameter = (offset: number) => `$${values.length + offset}`
  const after = cursor
    ? `WHERE (due, id) ${isAscending ? '>' : '<'} (${parameter(2)}::timestamptz, ${parameter(3)}::uuid)`
    : ''
  const order = isAscending ? 'due, id' : 'due DESC, id DESC'
  const [page, total] = await Promise.all([
    sql.query<{ id: string; due: Date }>(
      `SELECT id, due FROM (${text}) behind ${after} ORDER BY ${order} LIMIT ${parameter(1)}`,
      [...values, limit + 1, ...(cursor ? [cursor.at, cursor.id] : [])],
    ),
    behind.what === 'accepted' ? countAccepted(sql, workspaceId) : countRows(sql, text, values, behind),
  ])
  const shown = page.rows.slice(0, limit)
  const ids = shown.map(({ id }) => id)
  const found = await readFound(sql, ids, behind)
  const last = shown.at(-1)
  return {
    total,
    rows: shown.flatMap(({ id, due }) => {
      const row = found.get(id)
      return row ? [{ id, at: due, ...row }] : []
    }),
    nextCursor: page.rows.length > limit && last ? cursorOf(last) : null,
  }
}

async function countRows(sql: Sql, text: string, values: unknown[], { what }: Behind): Promise<number> {
  // The counts that lead to what a hold keeps back go to the end.
  const most = OF_A_HOLD.includes(what) ? 'ALL' : COUNTED_MAX
  const { rows } = await sql.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM (SELECT FROM (${text}) behind LIMIT ${most}) counted`,
    values,
  )
  return rows[0]?.total ?? 0
}

function sourceOf(workspaceId: string, behind: Behind, { cursor, limit }: Page): { text: string; values: unknown[] } {
  switch (behind.what) {
    case 'sent-of-campaign':
      return { text: SENT_OF_CAMPAIGN, values: [workspaceId, behind.from, behind.until, behind.campaignId] }
    case 'mailbox-used':
      return { text: USED, values: [workspaceId, behind.mailboxId, behind.date] }
    case 'mailbox-due':
      return { text: DUE, values: [workspaceId, behind.mailboxId, behind.until] }
    case 'accepted':
      return { text: ACCEPTED, values: [workspaceId, cursor?.at ?? 'infinity', cursor?.id ?? LAST_ID, limit + 1] }
    case 'accepted-again':
      return { text: wereUnknown('accepted > 1'), values: [workspaceId] }
    case 'were-unknown':
      return behind.way === undefined
        ? { text: wereUnknown('true'), values: [workspaceId] }
        : { text: wereUnknown('way = $2'), values: [workspaceId, behind.way] }
    case 'maybe-sent':
      return { text: MAYBE_SENT_ROWS, values: [workspaceId] }
    case 'maybe-sent-of-group': {
      const { mailboxId, doubt, campaignId = null } = behind
      return { text: MAYBE_SENT_ROWS_OF_GROUP, values: [workspaceId, mailboxId, doubt, campaignId] }
    }
    case 'open-failed':
      return { text: OPEN_EMAILS.failed, values: [workspaceId] }
    case 'open-unknown':
      return { text: OPEN_EMAILS.unknown, values: [workspaceId] }
    case 'blocked':
      return { text: BLOCKED, values: [workspaceId, behind.campaignId] }
    default:
      return { text: ROWS_BY_TIME[behind.what], values: [workspaceId, behind.from, behind.until] }
  }
}

type Told = Omit<RowBehind, 'id' | 'at'>

async function readFound(sql: Sql, ids: readonly string[], behind: Behind): Promise<Map<string, Told>> {
  if (OF_PEOPLE.includes(behind.what)) return readPeople(sql, ids, behind)
  const emails = await readEmails(sql, ids)
  if (!OF_A_HOLD.includes(behind.what)) return emails
  return new Map([...emails, ...(await readNotPlanned(sql, ids))])
}

async function readEmails(sql: Sql, ids: readonly string[]): Promise<Map<string, Told>> {
  const { rows } = await sql.query<EmailRow>(`${EMAIL_ROWS} WHERE e.id = ANY($1::uuid[])`, [ids])
  return new Map(
    rows.map((row) => {
      const { id, prospectId, recipient, campaign, lastError, statusName, mailbox } = mapScheduledEmail(row)
      const sentence = lastError ?? `${statusName}, from ${mailbox.address}`
      return [id, { prospectId, recipient, campaign, sentence }]
    }),
  )
}

async function readPeople(sql: Sql, ids: readonly string[], behind: Behind): Promise<Map<string, Told>> {
  const campaignId = behind.what === 'blocked' ? behind.campaignId : null
  const { rows } = await sql.query<{ id: string; recipient: string | null; sentence: string | null }>(
    `SELECT p.id, p.email AS recipient, coalesce(cp.reason, nullif(concat_ws(' ', p.first_name, p.last_name), '')) AS sentence
     FROM prospects p LEFT JOIN campaign_prospects cp ON cp.campaign_id = $2 AND cp.prospect_id = p.id
     WHERE p.id = ANY($1::uuid[])`,
    [ids, campaignId],
  )
  return new Map(
    rows.map(({ id, recipient, sentence }) => [id, { prospectId: id, recipient, campaign: null, sentence }]),
  )
}

/** People who were due to move on, by their enrolment: they have no email yet that could be told of. */
async function readNotPlanned(sql: Sql, ids: readonly string[]): Promise<Map<string, Told>> {
  const { rows } = await sql.query<Told & { id: string }>(
    `SELECT cp.id, p.id AS "prospectId", p.email AS recipient, jsonb_build_object('id', c.id, 'name', c.name) AS campaign,
       'Was due to move on; what comes next is not planned yet.' AS sentence
     FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id JOIN prospects p ON p.id = cp.prospect_id
     WHERE cp.id = ANY($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(({ id, ...told }) => [id, told]))
}
