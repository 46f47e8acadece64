import { EMAIL_ROWS, type EmailRow, mapScheduledEmail } from '#lib/email-scheduler/read/email-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { OPEN_EMAILS } from './attention.ts'
import { type CountedByTime, ROWS_BY_TIME } from './counted.ts'

/** What a count of the overview counted. */
export type Behind =
  | { what: CountedByTime; from: Date; until: Date }
  | { what: 'open-failed' | 'open-unknown' }
  | { what: 'blocked'; campaignId: string }

export type RowBehind = {
  /** Of the email, or of the person. */
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

const OF_PEOPLE: readonly string[] = ['bounced', 'replied', 'unsubscribed', 'blocked']

/** A page of what a count counted, from the statement that counted it. What is planned comes first things first, the rest newest first. */
export async function readRowsBehind(
  sql: Sql,
  workspaceId: string,
  behind: Behind,
  { cursor, limit }: Page,
): Promise<RowsBehind> {
  const { text, values } = sourceOf(workspaceId, behind)
  const isAscending = behind.what === 'planned'
  const parameter = (offset: number) => `$${values.length + offset}`
  const after = cursor
    ? `WHERE (due, id) ${isAscending ? '>' : '<'} (${parameter(2)}::timestamptz, ${parameter(3)}::uuid)`
    : ''
  const order = isAscending ? 'due, id' : 'due DESC, id DESC'
  const [page, count] = await Promise.all([
    sql.query<{ id: string; due: Date }>(
      `SELECT id, due FROM (${text}) behind ${after} ORDER BY ${order} LIMIT ${parameter(1)}`,
      [...values, limit + 1, ...(cursor ? [cursor.at, cursor.id] : [])],
    ),
    sql.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM (SELECT FROM (${text}) behind LIMIT ${COUNTED_MAX}) counted`,
      values,
    ),
  ])
  const shown = page.rows.slice(0, limit)
  const ids = shown.map(({ id }) => id)
  const found = await (OF_PEOPLE.includes(behind.what) ? readPeople(sql, ids, behind) : readEmails(sql, ids))
  const last = shown.at(-1)
  return {
    total: count.rows[0]?.total ?? 0,
    rows: shown.flatMap(({ id, due }) => {
      const row = found.get(id)
      return row ? [{ id, at: due, ...row }] : []
    }),
    nextCursor: page.rows.length > limit && last ? cursorOf(last) : null,
  }
}

function sourceOf(workspaceId: string, behind: Behind): { text: string; values: unknown[] } {
  switch (behind.what) {
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

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([0-9a-f-]{36})$/

const cursorOf = ({ due, id }: { due: Date; id: string }) => `${due.toISOString()}_${id}`

export function readCursor(text: string): { at: Date; id: string } | undefined {
  const [, at, id] = CURSOR.exec(text) ?? []
  return at && id && !Number.isNaN(Date.parse(at)) ? { at: new Date(at), id } : undefined
}
