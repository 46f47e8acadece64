import type { HashAddress } from '#lib/audience/address-hash.ts'
import { findProspectIds } from '#lib/audience/find-prospects.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { EMAIL_ROWS, type EmailRow, mapScheduledEmail, type ScheduledEmailResponse } from './email-response.ts'
import { type ScheduledEmailStatus, STATUSES } from './states.ts'

export type OutboxFilter = {
  status?: ScheduledEmailStatus | undefined
  /** Those that failed and were dismissed are left out where failed ones are asked for, unless they are meant. */
  dismissed?: boolean | undefined
  kind?: EmailKind | undefined
  campaignId?: string | undefined
  mailboxId?: string | undefined
  /** An email's id or key, a prospect's id, or a part of the recipient's address or name; `hash` finds whole addresses. */
  search?: { text: string; hash: HashAddress } | undefined
}

export type OutboxPage = {
  emails: ScheduledEmailResponse[]
  /** May be there although the page is not full: so much was looked through, and more is left. */
  nextCursor: string | null
  /** More people match the search than are looked at: more of the address finds less. */
  searchIsCut: boolean
}

type Page = { cursor?: string | undefined; limit: number }

/** What no index knows (which mailbox) is looked for in so many of the others, however large the queue. */
const LOOKED_THROUGH = 2_000
const PEOPLE_MAX = 200

/**
 * A page of the queue, newest first. The ids come from the one index that serves the filter, in its order; only the rows
 * of the page are read whole. So a page costs the same at ten million rows as at ten thousand.
 */
export async function listOutbox(sql: Sql, workspaceId: string, filter: OutboxFilter, page: Page): Promise<OutboxPage> {
  const { ids, nextCursor, searchIsCut } = await outboxIds(sql, workspaceId, filter, page)
  const { rows } = await sql.query<EmailRow>(`${EMAIL_ROWS} WHERE e.id = ANY($1::uuid[]) ORDER BY e.id DESC`, [ids])
  return { emails: rows.map(mapScheduledEmail), nextCursor, searchIsCut }
}

/** The ids of a page alone: also of those whom a bulk action is for. */
export async function outboxIds(
  sql: Sql,
  workspaceId: string,
  filter: OutboxFilter,
  { cursor, limit }: Page,
): Promise<{ ids: string[]; nextCursor: string | null; searchIsCut: boolean }> {
  const search = filter.search ? await searchedSource(sql, workspaceId, filter.search) : undefined
  const source = search?.source ?? sourceOf(filter)
  const most = isOfOneIndex(filter) ? limit + 1 : Math.max(limit + 1, LOOKED_THROUGH)
  const { rows: candidates } = await sql.query<{ id: string }>(candidatesSql(source, most), [
    workspaceId,
    cursor ?? LAST_ID,
    ...source.values,
  ])
  const looked = candidates.map(({ id }) => id)
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM scheduled_emails
     WHERE id = ANY($1::uuid[]) AND workspace_id = $2
       AND ($3::scheduled_email_status IS NULL OR status = $3) AND ($4::email_kind IS NULL OR kind = $4)
       AND ($5::uuid IS NULL OR campaign_id = $5) AND ($6::uuid IS NULL OR mailbox_id = $6)
       AND ($7::bool IS NULL OR (dismissed_at IS NOT NULL) = $7)
     ORDER BY id DESC LIMIT $8`,
    [
      looked,
      workspaceId,
      filter.status ?? null,
      filter.kind ?? null,
      filter.campaignId ?? null,
      filter.mailboxId ?? null,
      filter.dismissed ?? (filter.status === 'PERMANENTLY_FAILED' ? false : null),
      limit + 1,
    ],
  )
  const ids = rows.slice(0, limit).map(({ id }) => id)
  const isFull = rows.length > limit
  const isMore = isFull || looked.length === most
  const nextCursor = isMore ? ((isFull ? ids : looked).at(-1) ?? null) : null
  return { ids, nextCursor, searchIsCut: search?.isCut ?? false }
}

/** The index knows all that is asked for, so that it gives nothing that is not wanted. */
function isOfOneIndex({ status, kind, mailboxId, search, dismissed, campaignId }: OutboxFilter): boolean {
  if (search || mailboxId || dismissed !== undefined) return false
  if (status === 'PERMANENTLY_FAILED' && campaignId) return false
  return kind !== 'CAMPAIGN' || status !== undefined || campaignId !== undefined
}

/** Where ids come from: parts that each answer the newest of theirs. $1 is the workspace, $2 the cursor, what follows are `values`. */
type Source = { parts: Part[]; values: unknown[] }
type Part = (most: number) => string

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

function candidatesSql({ parts }: Source, most: number): string {
  const union = parts.map((part) => `(${part(most)})`).join(' UNION ALL ')
  return `SELECT id FROM (${union}) found ORDER BY id DESC LIMIT ${most}`
}

/**
 * The newest of one range of one index. Compared and ordered by the index's own columns as a row, since no other index
 * can answer that: with an equality for each, the planner may walk all emails by their ids instead, in the belief that
 * those of a state or a campaign are spread evenly among them.
 */
function range(columns: readonly string[], values: readonly string[], condition = 'true'): Part {
  const row = [...columns, 'id'].map((column) => `e.${column}`)
  const from = (id: string) => `(${[...values, id].join(', ')})`
  return (most) =>
    `SELECT e.id FROM scheduled_emails e
     WHERE (${row.join(', ')}) > ${from(FIRST_ID)} AND (${row.join(', ')}) < ${from('$2::uuid')} AND ${condition}
     ORDER BY ${row.map((column) => `${column} DESC`).join(', ')} LIMIT ${most}`
}

const literal = (status: ScheduledEmailStatus) => `'${status}'::scheduled_email_status`
const NEEDS_ATTENTION = `e.status IN ('OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED') AND e.dismissed_at IS NULL`

function sourceOf({ status, dismissed, kind, campaignId }: OutboxFilter): Source {
  const statuses = status ? [status] : STATUSES
  const ofCampaigns = (condition: string): Part[] =>
    statuses.map((one) => {
      const ofOne = range(['campaign_id', 'status'], ['c.id', literal(one)])
      return (most) =>
        `SELECT e.id FROM campaigns c CROSS JOIN LATERAL (${ofOne(most)}) e
         WHERE c.workspace_id = $1 AND ${condition} ORDER BY e.id DESC LIMIT ${most}`
    })
  const transactional = statuses.map((one) =>
    range(['workspace_id', 'status'], ['$1::uuid', literal(one)], `e.kind = 'TRANSACTIONAL'`),
  )
  if (campaignId) return { values: [campaignId], parts: ofCampaigns('c.id = $3') }
  const values: unknown[] = []
  if (kind === 'TRANSACTIONAL') return { values, parts: transactional }
  if (!status) return { values, parts: [range(['workspace_id'], ['$1::uuid'])] }
  if ((status === 'OUTCOME_UNKNOWN' || status === 'PERMANENTLY_FAILED') && !dismissed)
    return { values, parts: [range(['workspace_id', 'status'], ['$1::uuid', literal(status)], NEEDS_ATTENTION)] }
  return { values, parts: kind === 'CAMPAIGN' ? ofCampaigns('true') : [...ofCampaigns('true'), ...transactional] }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function searchedSource(
  sql: Sql,
  workspaceId: string,
  { text, hash }: NonNullable<OutboxFilter['search']>,
): Promise<{ source: Source; isCut: boolean }> {
  const wanted = text.trim()
  if (UUID.test(wanted))
    return {
      isCut: false,
      source: {
        values: [wanted],
        parts: [
          () => `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.id = $3::uuid AND e.id < $2::uuid`,
          () =>
            `SELECT e.id FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
             WHERE cp.workspace_id = $1 AND cp.prospect_id = $3::uuid AND e.id < $2::uuid`,
        ],
      },
    }
  if (wanted.includes(':'))
    return {
      isCut: false,
      source: {
        values: [wanted],
        parts: [
          () =>
            `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.idempotency_key = $3 AND e.id < $2::uuid`,
        ],
      },
    }
  const people = await findProspectIds(sql, workspaceId, wanted, PEOPLE_MAX + 1, hash)
  return {
    isCut: people.length > PEOPLE_MAX,
    source: {
      values: [people.slice(0, PEOPLE_MAX)],
      parts: [
        () =>
          `SELECT e.id FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
           WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($3::uuid[]) AND e.id < $2::uuid`,
      ],
    },
  }
}
