import type { HashAddress } from '#lib/audience/address-hash.ts'
import { findProspectIds } from '#lib/audience/find-prospects.ts'
import { type QueuePart, standingsOf } from '#lib/email-scheduler/queue-parts.ts'
import { type ScheduledEmailStatus, STATUSES } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'

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

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The newest so many of all parts; or any so many, where they are only counted. */
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

export function sourceOf(filter: OutboxFilter): Source {
  const { status, part, kind, campaignId, prospectId } = filter
  if (prospectId) return ofPeople([prospectId])
  const states = wanted(filter)
  if (states.length === 0) return { values: [], parts: [() => 'SELECT NULL::uuid AS id LIMIT 0'] }
  if (campaignId) return { values: [campaignId], parts: states.map((one) => ofCampaigns(one.status, 'c.id = $3')) }
  if (kind === 'TRANSACTIONAL') return { values: [], parts: states.map((one) => transactional(one.status)) }
  if (!status && !part) return { values: [], parts: [range(['workspace_id'], ['$1::uuid'])] }
  return { values: [], parts: states.flatMap((one) => partsOfState(one, kind)) }
}

function partsOfState(one: ReturnType<typeof wanted>[number], kind: EmailKind | undefined): Part[] {
  const needsAttention = one.status === 'OUTCOME_UNKNOWN' || one.status === 'PERMANENTLY_FAILED'
  if (needsAttention && one.isDismissed !== true && (one.isDismissed === false || one.status === 'OUTCOME_UNKNOWN'))
    return [range(['workspace_id', 'status'], ['$1::uuid', literal(one.status)], NEEDS_ATTENTION)]
  if (one.isDismissed === true) return [range(['workspace_id'], ['$1::uuid'], DISMISSED)]
  const inCampaigns = ofCampaigns(one.status, 'true')
  return kind === 'CAMPAIGN' ? [inCampaigns] : [inCampaigns, transactional(one.status)]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const PEOPLE_MAX = 200

const OF_PEOPLE = `SELECT e.id FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
  WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($3::uuid[]) AND e.id < $2::uuid`

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
  const [people, addresses] = await Promise.all([
    findProspectIds(sql, workspaceId, typed, PEOPLE_MAX + 1, hash),
    addressesBeginningWith(sql, workspaceId, typed),
  ])
  const values = [people.slice(0, PEOPLE_MAX), addresses.slice(0, ADDRESSES_MAX)]
  const isCut = people.length > PEOPLE_MAX || addresses.length > ADDRESSES_MAX
  return { isCut, source: { values, parts: [() => OF_PEOPLE, ofAddresses] } }
}

const ADDRESSES_MAX = 20

/** Of what programs had sent, to whom it went and who had a blind copy; the newest of each address. */
const ofAddresses: Part = (most) =>
  `SELECT DISTINCT r.email_id AS id FROM unnest($4::text[]) AS found(address) CROSS JOIN LATERAL (
     SELECT email_id FROM email_recipients
     WHERE workspace_id = $1 AND address = found.address AND email_id < $2::uuid ORDER BY email_id DESC LIMIT ${most}) r`

/**
 * From one address to the next along the index, so that a thousand emails to the same one are passed over at once. Addresses
 * are kept in lower case, in the order of their bytes.
 */
async function addressesBeginningWith(sql: Sql, workspaceId: string, typed: string): Promise<string[]> {
  const { rows } = await sql.query<{ address: string }>(
    `WITH RECURSIVE found AS (
       SELECT (SELECT min(address) FROM email_recipients WHERE workspace_id = $1 AND address >= $2) AS address, 1 AS number
       UNION ALL
       SELECT (SELECT min(address) FROM email_recipients WHERE workspace_id = $1 AND address > found.address), number + 1
       FROM found WHERE starts_with(found.address, $2) AND number <= $3)
     SELECT address FROM found WHERE starts_with(address, $2) LIMIT $3`,
    [workspaceId, typed.toLowerCase().normalize('NFC'), ADDRESSES_MAX + 1],
  )
  return rows.map(({ address }) => address)
}
