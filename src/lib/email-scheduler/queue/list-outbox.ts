import {
  EMAIL_ROWS,
  type EmailRow,
  mapScheduledEmail,
  type ScheduledEmailResponse,
} from '#lib/email-scheduler/read/email-response.ts'
import { type Holding, whatHolds } from '#lib/email-scheduler/read/what-holds.ts'
import type { Sql } from '#lib/platform/database.ts'
import { placesOf, sourceNear } from './outbox-places.ts'
import {
  candidatesSql,
  isOfOneIndex,
  LAST_ID,
  type OutboxFilter,
  type Source,
  searchedSource,
  sourceOf,
  wanted,
} from './outbox-source.ts'

export type ListedEmail = ScheduledEmailResponse & {
  /** Why it stands where it stands, in one sentence, and until when that lasts where it passes by itself. */
  why: Holding
}

export type OutboxPage = {
  emails: ListedEmail[]
  /** May be there although the page is not full: so much was looked through, and more is left. */
  nextCursor: string | null
  /** More people match the search than are looked at: more of the address finds less. */
  searchIsCut: boolean
}

/** `untilId`: the last one that may come, for who looks again at what they have. */
type Page = { cursor?: string | undefined; untilId?: string | undefined; limit: number }

/** Where neither an index nor the counts lead to it, it is looked for in this many of the others, however large the queue. */
const LOOKED_THROUGH = 5_000

/**
 * A page of the queue, newest first. The ids come from the one index that serves the filter, in its order; only the rows
 * of the page are read whole. So a page costs the same at ten million rows as at ten thousand.
 */
export async function listOutbox(sql: Sql, workspaceId: string, filter: OutboxFilter, page: Page): Promise<OutboxPage> {
  const { ids, nextCursor, searchIsCut } = await outboxIds(sql, workspaceId, filter, page)
  const { rows } = await sql.query<EmailRow>(`${EMAIL_ROWS} WHERE e.id = ANY($1::uuid[]) ORDER BY e.id DESC`, [ids])
  const held = await whatHolds(sql, workspaceId, rows)
  const emails = rows.map((row) => {
    const email = mapScheduledEmail(row)
    return { ...email, why: held.get(row.id) ?? { sentence: email.lastError ?? email.sentence, until: null } }
  })
  return { emails, nextCursor, searchIsCut }
}

/** What the indexes do not know is asked of each candidate `e`. Its values are numbered from `first` on. */
export function rowsMatching(
  workspaceId: string,
  filter: OutboxFilter,
  first: number,
): { condition: string; values: unknown[] } {
  const values: unknown[] = []
  const take = (value: unknown) => {
    values.push(value)
    return `$${first + values.length - 1}`
  }
  const states = wanted(filter)
  const conditions = [
    `e.workspace_id = ${take(workspaceId)}`,
    states.length === 0
      ? 'false'
      : `(${states.map(({ status, isDismissed }) => `e.status = '${status}'${isDismissed === null ? '' : ` AND e.dismissed_at IS ${isDismissed ? 'NOT ' : ''}NULL`}`).join(' OR ')})`,
    filter.kind && `e.kind = ${take(filter.kind)}`,
    filter.campaignId && `e.campaign_id = ${take(filter.campaignId)}`,
    filter.mailboxId && `e.mailbox_id = ${take(filter.mailboxId)}`,
    filter.prospectId && `e.prospect_id = ${take(filter.prospectId)}`,
    filter.errorCode && `e.last_error_code = ${take(filter.errorCode)}`,
    filter.fromDate && `e.local_date >= ${take(filter.fromDate)}`,
    filter.untilDate && `e.local_date <= ${take(filter.untilDate)}`,
  ]
  return { condition: conditions.filter(Boolean).join(' AND '), values }
}

/** The ids of a page alone: also of those whom a bulk action is for. */
export async function outboxIds(
  sql: Sql,
  workspaceId: string,
  filter: OutboxFilter,
  { cursor, untilId, limit }: Page,
): Promise<{ ids: string[]; nextCursor: string | null; searchIsCut: boolean }> {
  const { source, most, searchIsCut } = await whereFrom(sql, workspaceId, filter, limit)
  const { rows: candidates } = await sql.query<{ id: string }>(candidatesSql(source, most), [
    workspaceId,
    cursor ?? LAST_ID,
    ...source.values,
  ])
  const near = untilId === undefined ? candidates : candidates.filter(({ id }) => id >= untilId)
  const looked = near.map(({ id }) => id)
  const { condition, values } = rowsMatching(workspaceId, filter, 3)
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM scheduled_emails e WHERE id = ANY($1::uuid[]) AND ${condition} ORDER BY id DESC LIMIT $2`,
    [looked, limit + 1, ...values],
  )
  const ids = rows.slice(0, limit).map(({ id }) => id)
  const isFull = rows.length > limit
  const isMore = isFull || looked.length === most
  const nextCursor = isMore ? ((isFull ? ids : looked).at(-1) ?? null) : null
  return { ids, nextCursor, searchIsCut }
}

type From = { source: Source; most: number; searchIsCut: boolean }

/** Where ids come from, and how many of them are looked at: one more than wanted where all of them are what is asked for. */
async function whereFrom(sql: Sql, workspaceId: string, filter: OutboxFilter, limit: number): Promise<From> {
  const through = Math.max(limit + 1, LOOKED_THROUGH)
  if (filter.search) {
    const { source, isCut } = await searchedSource(sql, workspaceId, filter.search)
    return { source, most: through, searchIsCut: isCut }
  }
  if (isOfOneIndex(filter)) return { source: sourceOf(filter), most: limit + 1, searchIsCut: false }
  if (filter.prospectId) return { source: sourceOf(filter), most: through, searchIsCut: false }
  const places = await placesOf(sql, workspaceId, filter)
  const source = sourceNear(filter, places, (first) => rowsMatching(workspaceId, filter, first))
  return { source, most: places.near ? limit + 1 : through, searchIsCut: false }
}
