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
  /** An email's id or key, or a part of the recipient's address. */
  search?: string | undefined
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
  const source = search?.source ?? sourceOf(workspaceId, filter)
  const most = isOfOneIndex(filter) ? limit + 1 : Math.max(limit + 1, LOOKED_THROUGH)
  const { rows: candidates } = await sql.query<{ id: string }>(candidatesSql(source, cursor, most), source.values)
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

/** Where ids come from: each part is one range of an index, in the order of ids. `before` stands for the cursor's condition. */
type Source = { parts: ((before: string, most: number) => string)[]; values: unknown[] }

function candidatesSql({ parts }: Source, cursor: string | undefined, most: number): string {
  // A uuid by its schema; a constant, so that the planner sees where in the index the page begins.
  const before = cursor ? `AND e.id < '${cursor}'::uuid` : ''
  const union = parts.map((part) => `(${part(before, most)})`).join(' UNION ALL ')
  return `SELECT id FROM (${union}) found ORDER BY id DESC LIMIT ${most}`
}

function sourceOf(workspaceId: string, { status, dismissed, kind, campaignId }: OutboxFilter): Source {
  const statuses = status ? [status] : STATUSES
  const ofIndex = (condition: string) => (before: string, most: number) =>
    `SELECT e.id FROM scheduled_emails e WHERE ${condition} ${before} ORDER BY e.id DESC LIMIT ${most}`
  if (campaignId)
    return {
      values: [workspaceId, campaignId],
      parts: statuses.map((one) => ofIndex(`e.workspace_id = $1 AND e.campaign_id = $2 AND e.status = '${one}'`)),
    }
  const transactional = statuses.map((one) =>
    ofIndex(`e.workspace_id = $1 AND e.kind = 'TRANSACTIONAL' AND e.status = '${one}'`),
  )
  if (kind === 'TRANSACTIONAL') return { values: [workspaceId], parts: transactional }
  if (!status) return { values: [workspaceId], parts: [ofIndex('e.workspace_id = $1')] }
  if ((status === 'OUTCOME_UNKNOWN' || status === 'PERMANENTLY_FAILED') && !dismissed)
    return {
      values: [workspaceId],
      parts: [ofIndex(`e.workspace_id = $1 AND e.status = '${status}' AND e.dismissed_at IS NULL`)],
    }
  const ofEachCampaign = (before: string, most: number) =>
    `SELECT e.id FROM campaigns c CROSS JOIN LATERAL (
       SELECT id FROM scheduled_emails e WHERE e.campaign_id = c.id AND e.status = '${status}' ${before} ORDER BY e.id DESC LIMIT ${most}) e
     WHERE c.workspace_id = $1 ORDER BY e.id DESC LIMIT ${most}`
  return { values: [workspaceId], parts: kind === 'CAMPAIGN' ? [ofEachCampaign] : [ofEachCampaign, ...transactional] }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function searchedSource(
  sql: Sql,
  workspaceId: string,
  search: string,
): Promise<{ source: Source; isCut: boolean }> {
  const wanted = search.trim()
  if (UUID.test(wanted))
    return {
      isCut: false,
      source: {
        values: [workspaceId, wanted],
        parts: [
          (before) => `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.id = $2::uuid ${before}`,
          (before) =>
            `SELECT e.id FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
             WHERE cp.workspace_id = $1 AND cp.prospect_id = $2::uuid ${before}`,
        ],
      },
    }
  if (wanted.includes(':'))
    return {
      isCut: false,
      source: {
        values: [workspaceId, wanted],
        parts: [
          (before) =>
            `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.idempotency_key = $2 ${before}`,
        ],
      },
    }
  const people = await findProspectIds(sql, workspaceId, wanted, PEOPLE_MAX + 1)
  return {
    isCut: people.length > PEOPLE_MAX,
    source: {
      values: [workspaceId, people.slice(0, PEOPLE_MAX)],
      parts: [
        (before) =>
          `SELECT e.id FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
           WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($2::uuid[]) ${before}`,
      ],
    },
  }
}
