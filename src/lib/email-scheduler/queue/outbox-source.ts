import type { HashAddress } from '#lib/audience/address-hash.ts'
import { findProspectIds } from '#lib/audience/find-prospects.ts'
import { type QueuePart, standingsOf } from '#lib/email-scheduler/queue-parts.ts'
import { type ScheduledEmailStatus, STATUSES } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { findTransactional } from './find-transactional.ts'

export type OutboxFilter = {
  part?: QueuePart | undefined
  status?: ScheduledEmailStatus | undefined
  /** Those that failed and were dismissed are left out where failed ones are asked for, unless they are meant. */
  dismissed?: boolean | undefined
  kind?: EmailKind | undefined
  campaignId?: string | undefined
  mailboxId?: string | undefined
  prospectId?: string | undefined
  errorCode?: string | undefined
  /** Local dates of the workspace, both included: the day that it is planned for, or was sent on. */
  fromDate?: string | undefined
  untilDate?: string | undefined
  /** An email's id or key, a prospect's id, or a part of the recipient's address or name; `hash` finds whole addresses. */
  search?: { text: string; hash: HashAddress } | undefined
}

/** Where ids come from: parts that each answer the newest of theirs. $1 is the workspace, $2 the cursor, what follows are `values`. */
export type Source = { parts: Part[]; values: unknown[] }
type Part = (most: number, isOrdered: boolean) => string

export const NO_ID = '00000000-0000-0000-0000-000000000000'
const FIRST_ID = `'${NO_ID}'::uuid`
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The newest of all parts, up to a number; or any of them, where they are only counted. */
export function candidatesSql({ parts }: Source, most: number, isOrdered = true): string {
  const union = parts.map((part) => `(${part(most, isOrdered)})`).join(' UNION ALL ')
  return `SELECT id FROM (${union}) found ${isOrdered ? 'ORDER BY id DESC ' : ''}LIMIT ${most}`
}

/** The index knows all that is asked for, so that it gives nothing that is not wanted. */
export function isOfOneIndex(filter: OutboxFilter): boolean {
  const { status, part, kind, campaignId, mailboxId, prospectId, errorCode, fromDate, untilDate, search } = filter
  if (search || mailboxId || prospectId || errorCode || fromDate || untilDate) return false
  const ofFailed = part === 'decide' || part === 'cancelled' || status === 'PERMANENTLY_FAILED'
  if (filter.dismissed !== undefined || (ofFailed && (campaignId || kind))) return false
  return kind !== 'CAMPAIGN' || status !== undefined || part !== undefined || campaignId !== undefined
}

/** The states that are asked for, each with whether the dismissed are meant; null where both are. */
export function wanted({
  part,
  status,
  dismissed,
}: OutboxFilter): { status: ScheduledEmailStatus; isDismissed: boolean | null }[] {
  const all = part ? standingsOf(part) : STATUSES.map((one) => ({ status: one, isDismissed: undefined }))
  return all.flatMap(({ status: one, isDismissed }) => {
    if (status && one !== status) return []
    const asked = dismissed ?? (status === 'PERMANENTLY_FAILED' && !part ? false : undefined)
    if (isDismissed !== undefined && asked !== undefined && isDismissed !== asked) return []
    return [{ status: one, isDismissed: isDismissed ?? asked ?? null }]
  })
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
const DISMISSED = `e.status = 'PERMANENTLY_FAILED' AND e.dismissed_at IS NOT NULL`

const ofCampaigns =
  (status: ScheduledEmailStatus, condition: string): Part =>
  (most, isOrdered) =>
    `SELECT e.id FROM campaigns c CROSS JOIN LATERAL (${range(['campaign_id', 'status'], ['c.id', literal(status)])(most, isOrdered)}) e
     WHERE c.workspace_id = $1 AND ${condition} ${isOrdered ? 'ORDER BY e.id DESC ' : ''}LIMIT ${most}`

const transactional = (status: ScheduledEmailStatus): Part =>
  range(['workspace_id', 'status'], ['$1::uuid', literal(status)], `e.kind = 'TRANSACTIONAL'`)

export const everything = (): Part => range(['workspace_id'], ['$1::uuid'])

/** `amongIds`: no other campaign has what is looked for. */
export function sourceOf(filter: OutboxFilter, amongIds?: readonly string[]): Source {
  const { status, part, kind, campaignId, prospectId } = filter
  if (prospectId) return ofPeople([prospectId])
  const states = wanted(filter)
  // A state that the part does not have: nothing, in the same form.
  if (states.length === 0) return { values: [], parts: [range(['workspace_id'], ['$1::uuid'], 'false')] }
  if (campaignId) return { values: [campaignId], parts: states.map((one) => ofCampaigns(one.status, 'c.id = $3')) }
  if (kind === 'TRANSACTIONAL') return { values: [], parts: states.map((one) => transactional(one.status)) }
  if (!status && !part) return { values: [], parts: [everything()] }
  const among = amongIds ? 'c.id = ANY($3::uuid[])' : 'true'
  const parts = states.flatMap((one) => partsOfState(one, kind, among))
  return { values: amongIds && parts.some((one) => one(1, true).includes('$3')) ? [amongIds] : [], parts }
}

function partsOfState(one: ReturnType<typeof wanted>[number], kind: EmailKind | undefined, among: string): Part[] {
  const needsAttention = one.status === 'OUTCOME_UNKNOWN' || one.status === 'PERMANENTLY_FAILED'
  if (needsAttention && one.isDismissed !== true && (one.isDismissed === false || one.status === 'OUTCOME_UNKNOWN'))
    return [range(['workspace_id', 'status'], ['$1::uuid', literal(one.status)], NEEDS_ATTENTION)]
  if (one.isDismissed === true) return [range(['workspace_id'], ['$1::uuid'], DISMISSED)]
  const inCampaigns = ofCampaigns(one.status, among)
  return kind === 'CAMPAIGN' ? [inCampaigns] : [inCampaigns, transactional(one.status)]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const PEOPLE_MAX = 200
const TRANSACTIONAL_MAX = 1_000

const OF_PEOPLE = `SELECT e.id FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
  WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($3::uuid[]) AND e.id < $2::uuid`
const OF_RECIPIENTS = `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.id = ANY($4::uuid[]) AND e.id < $2::uuid`

const ofPeople = (prospectIds: readonly string[]): Source => ({ values: [prospectIds], parts: [() => OF_PEOPLE] })

/** A search finds by what is typed alone; the other conditions are asked of what it finds. */
export async function searchedSource(
  sql: Sql,
  workspaceId: string,
  { text, hash }: NonNullable<OutboxFilter['search']>,
): Promise<{ source: Source; isCut: boolean }> {
  const typed = text.trim()
  if (UUID.test(typed)) {
    const byId = `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.id = ANY($3::uuid[]) AND e.id < $2::uuid`
    return { isCut: false, source: { values: [[typed]], parts: [() => byId, () => OF_PEOPLE] } }
  }
  if (typed.includes(':')) {
    const byKey = `SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.idempotency_key = $3 AND e.id < $2::uuid`
    return { isCut: false, source: { values: [typed], parts: [() => byKey] } }
  }
  const [people, emails] = await Promise.all([
    findProspectIds(sql, workspaceId, typed, PEOPLE_MAX + 1, hash),
    findTransactional(sql, workspaceId, typed, TRANSACTIONAL_MAX),
  ])
  const values = [people.slice(0, PEOPLE_MAX), emails.ids]
  const source = { values, parts: [() => OF_PEOPLE, () => OF_RECIPIENTS] }
  return { isCut: people.length > PEOPLE_MAX || emails.isCut, source }
}
