import { actionReasonSentence } from '#lib/actions/reasons.ts'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import { findProspectIds } from '#lib/audience/find-prospects.ts'
import type { Campaign } from '#lib/campaigns/campaign.ts'
import { type EnrolmentReason, REMOVED } from '#lib/campaigns/enrolment-reasons.ts'
import { heldMs } from '#lib/campaigns/journeys/leave.ts'
import { CAN_BE_TAKEN_UP } from '#lib/campaigns/journeys/take-up.ts'
import { ENROLMENT_STATES, type Ledger, readLedger } from '#lib/campaigns/ledger.ts'
import { CANCEL_REASONS, type CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EnrolmentState } from '#lib/platform/generated/enums.ts'

export type EnrolmentFilter = {
  state?: EnrolmentState | undefined
  reason?: EnrolmentReason | undefined
  /** A part of the prospect's address or name; `hash` finds whole addresses. */
  search?: { text: string; hash: HashAddress } | undefined
}

export type NextEmail = {
  id: string
  stepNumber: number
  status: ScheduledEmailStatus
  at: Date
  blocker: string | null
}

export type CampaignEnrolment = {
  id: string
  prospectId: string
  /** Empty once erased. */
  prospect: string | null
  firstName: string | null
  lastName: string | null
  state: EnrolmentState
  pausedAt: Date | null
  /** Why it is blocked or skipped. */
  reason: { code: EnrolmentReason; sentence: string } | null
  /** The last step that was sent; 0 before the first. */
  stepReached: number
  steps: number
  mailbox: string | null
  /** The first of its emails that is not over. */
  nextEmail: NextEmail | null
  /** At a branch, or in a wait of a sequence that branches: until when, if nothing happens before, and whether a pause holds the clock. */
  waits: { at: 'branch' | 'wait'; until: Date; isHeld: boolean } | null
  /** Why its last email was cancelled, where it was. */
  cancelled: { code: CancelReason; sentence: string } | null
  /** Why they left a sequence that branches; null while they go through it, and where there is none. */
  left: string | null
  /** Was taken out before anything was planned, or left between two emails of a sequence that branches. */
  canPutBack: boolean
  enrolledAt: Date
}

export type EnrolmentPage = {
  enrolments: CampaignEnrolment[]
  nextCursor: string | null
  /** More people match the search than are looked at: more of the address finds less. */
  searchIsCut: boolean
  /** Of the whole campaign, as its ledger has them; with the first page, since a million are not counted for each. */
  counts: { states: Ledger['enrolments']; reasons: Partial<Record<EnrolmentReason, number>> } | null
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** How many are looked at of those whom a search finds. */
export const PEOPLE_MAX = 200

/** The enrolments of a campaign (which the caller has found in the workspace), in the order in which they came. */
export async function listEnrolments(
  sql: Sql,
  { id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>,
  filter: EnrolmentFilter,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<EnrolmentPage> {
  const people = filter.search && (await findPeople(sql, workspaceId, filter.search))
  const found = await pageOf(sql, id, filter, people?.slice(0, PEOPLE_MAX), {
    cursor: cursor ?? FIRST_ID,
    limit: limit + 1,
  })
  const ids = found.slice(0, limit)
  return {
    enrolments: await readEnrolments(sql, ids),
    nextCursor: found.length > limit ? (ids.at(-1) ?? null) : null,
    searchIsCut: people !== undefined && people.length > PEOPLE_MAX,
    counts: cursor === undefined ? await countAll(sql, id) : null,
  }
}

function findPeople(sql: Sql, workspaceId: string, { text, hash }: NonNullable<EnrolmentFilter['search']>) {
  return findProspectIds(sql, workspaceId, text, PEOPLE_MAX + 1, hash)
}

/**
 * The ids of a page, from the index that serves what is asked for, in its order: by prospect, by reason, or each state by
 * itself. So a page of a campaign of millions costs what it holds.
 */
async function pageOf(
  sql: Sql,
  campaignId: string,
  { state, reason }: EnrolmentFilter,
  people: readonly string[] | undefined,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<string[]> {
  const states = state ? [state] : ENROLMENT_STATES
  const ask = async (text: string, more: readonly unknown[]) => {
    const { rows } = await sql.query<{ id: string }>(text, [campaignId, cursor, limit, ...more])
    return rows.map((row) => row.id)
  }
  if (people)
    return ask(
      `SELECT cp.id FROM campaign_prospects cp
       WHERE cp.campaign_id = $1 AND cp.prospect_id = ANY($4::uuid[]) AND cp.state = ANY($5::enrolment_state[])
         AND ($6::text IS NULL OR cp.reason_code = $6) AND cp.id > $2 ORDER BY cp.id LIMIT $3`,
      [people, states, reason ?? null],
    )
  if (reason)
    return ask(
      `SELECT cp.id FROM campaign_prospects cp
       WHERE (cp.campaign_id, cp.reason_code, cp.id) > ($1::uuid, $4::text, $2::uuid) AND cp.campaign_id = $1 AND cp.reason_code = $4
         AND cp.state = ANY($5::enrolment_state[])
       ORDER BY cp.campaign_id, cp.reason_code, cp.id LIMIT $3`,
      [reason, states],
    )
  return ask(
    `SELECT page.id FROM unnest($4::enrolment_state[]) AS wanted(state) CROSS JOIN LATERAL (
       SELECT id FROM campaign_prospects WHERE campaign_id = $1 AND state = wanted.state AND id > $2 ORDER BY id LIMIT $3) page
     ORDER BY page.id LIMIT $3`,
    [states],
  )
}

type Row = Omit<CampaignEnrolment, 'reason' | 'cancelled' | 'nextEmail' | 'waits'> & {
  reasonCode: EnrolmentReason | null
  reasonSentence: string | null
  cancelReason: CancelReason | null
  nextId: string | null
  nextStep: number
  nextStatus: ScheduledEmailStatus
  nextAt: Date
  nextBlocker: string | null
  waitType: 'WAIT' | 'TIMEOUT' | null
  waitsUntil: Date | null
  isHeld: boolean
}

/** As they stand, in the order of their ids. */
export async function readEnrolments(sql: Sql, ids: readonly string[]): Promise<CampaignEnrolment[]> {
  const { rows } = await sql.query<Row>(
    `SELECT cp.id, cp.prospect_id AS "prospectId", p.email AS prospect, p.first_name AS "firstName", p.last_name AS "lastName",
       cp.state, cp.paused_at AS "pausedAt", cp.reason_code AS "reasonCode", cp.reason AS "reasonSentence",
       cp.planned_steps AS steps, m.address AS mailbox, cp.created_at AS "enrolledAt",
       coalesce((SELECT max(e.step_number) FROM scheduled_emails e
         WHERE e.campaign_prospect_id = cp.id AND e.status = 'SENT'), 0) AS "stepReached",
       next.id AS "nextId", next.step_number AS "nextStep", next.status AS "nextStatus", next.at AS "nextAt",
       next.blocker AS "nextBlocker", wait.type AS "waitType", wait.until AS "waitsUntil",
       c.clock_held_since IS NOT NULL AS "isHeld", last.cancel_reason AS "cancelReason", j.ended_reason AS "left",
       c.status <> 'STOPPED' AND CASE WHEN cp.planned_at IS NULL THEN cp.state = 'SKIPPED' AND coalesce(cp.reason_code = '${REMOVED}', false)
         ELSE coalesce(${CAN_BE_TAKEN_UP}, false) END AS "canPutBack"
     FROM campaign_prospects cp JOIN prospects p ON p.id = cp.prospect_id LEFT JOIN mailboxes m ON m.id = cp.mailbox_id
     JOIN campaigns c ON c.id = cp.campaign_id LEFT JOIN journeys j ON j.enrolment_id = cp.id
     LEFT JOIN LATERAL (
       SELECT e.id, e.step_number, e.status, coalesce(e.next_retry_at, e.scheduled_for) AS at, e.blocker FROM scheduled_emails e
       WHERE e.campaign_prospect_id = cp.id AND e.status NOT IN ('SENT', 'CANCELLED', 'PERMANENTLY_FAILED')
       ORDER BY e.step_number LIMIT 1) next ON true
     LEFT JOIN LATERAL (
       SELECT a.type, a.due_at + make_interval(secs => (${heldMs('c')} - a.held_ms_before) / 1000.0) AS until FROM scheduled_actions a
       WHERE a.enrolment_id = cp.id AND a.status IN ('PENDING', 'HELD') AND a.type IN ('WAIT', 'TIMEOUT') AND a.node_id = j.node_id
       ORDER BY a.due_at LIMIT 1) wait ON true
     LEFT JOIN LATERAL (
       SELECT e.cancel_reason FROM scheduled_emails e WHERE e.campaign_prospect_id = cp.id
       ORDER BY e.step_number DESC LIMIT 1) last ON true
     WHERE cp.id = ANY($1::uuid[]) ORDER BY cp.id`,
    [ids],
  )
  return rows.map(shown)
}

function shown(row: Row): CampaignEnrolment {
  const { reasonCode, reasonSentence, cancelReason, nextId, nextStep, nextStatus, nextAt, nextBlocker, ...rest } = row
  const { waitType, waitsUntil, isHeld, ...enrolment } = rest
  return {
    ...enrolment,
    left: actionReasonSentence(enrolment.left),
    reason: reasonCode && { code: reasonCode, sentence: reasonSentence ?? '' },
    waits: waitsUntil && { at: waitType === 'TIMEOUT' ? 'branch' : 'wait', until: waitsUntil, isHeld },
    cancelled: cancelReason && { code: cancelReason, sentence: CANCEL_REASONS[cancelReason] },
    nextEmail: nextId
      ? { id: nextId, stepNumber: nextStep, status: nextStatus, at: nextAt, blocker: nextBlocker }
      : null,
  }
}

/** From indexes alone. */
async function countAll(sql: Sql, campaignId: string): Promise<NonNullable<EnrolmentPage['counts']>> {
  const { enrolments } = await readLedger(sql, campaignId)
  const { rows } = await sql.query<{ code: EnrolmentReason; count: number }>(
    `SELECT reason_code AS code, count(*)::int AS count FROM campaign_prospects
     WHERE campaign_id = $1 AND reason_code IS NOT NULL GROUP BY reason_code`,
    [campaignId],
  )
  return { states: enrolments, reasons: Object.fromEntries(rows.map(({ code, count }) => [code, count])) }
}
