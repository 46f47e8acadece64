import type { ActionReason } from '#lib/actions/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { JourneyState } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** Where a person stands in a sequence that branches: always in one place. */
export type Journey = {
  enrolmentId: string
  workspaceId: string
  campaignId: string
  prospectId: string
  sequenceId: string
  graphVersion: number
  state: JourneyState
  nodeId: string | null
  round: number
  /** Of the emails that were planned last, the last. */
  lastStep: number | null
  /** The email that was handed over last, and when. */
  anchorEmailId: string | null
  anchoredAt: Date | null
  /** For how long pauses had held the clock by then. */
  anchorHeldMs: number
  /** What the next email or wait counts from. */
  arrivedAt: Date
  /** Why nothing more may be sent to them: they have replied, are archived… */
  left: ActionReason | null
}

/** What is written down of a person's way. */
export const JOURNEY_WORDS = {
  sent: 'The last email before it was handed over.',
  waited: 'The wait is over.',
  'field-set': 'A field was set.',
  'field-not-set': 'The field could not be set.',
  'list-joined': 'Was added to the list.',
  'list-left': 'Was taken from the list.',
  'list-gone': 'The list is archived, so nothing was changed.',
  notified: 'A teammate is told.',
  moved: 'Is to go on in another campaign.',
  yes: 'It happened in time.',
  no: 'It did not happen in time.',
  left: 'Left the sequence.',
  'taken-up': 'Was put back, and goes on from here.',
  ended: 'Came to the end of the sequence.',
} as const

export type JourneyWord = keyof typeof JOURNEY_WORDS

/** Of a prospect `p`: why nothing more may be sent to them. */
export const WHY_LEFT = `CASE WHEN p.erased_at IS NOT NULL THEN 'PROSPECT_ERASED' WHEN p.merged_into_id IS NOT NULL THEN 'PROSPECT_MERGED'
  WHEN p.archived_at IS NOT NULL THEN 'PROSPECT_ARCHIVED' WHEN p.unsubscribed_at IS NOT NULL THEN 'PROSPECT_UNSUBSCRIBED'
  WHEN p.bounced_at IS NOT NULL THEN 'PROSPECT_BOUNCED' WHEN p.replied_at IS NOT NULL THEN 'PROSPECT_REPLIED' END`

export const JOURNEY_COLUMNS = `j.enrolment_id AS "enrolmentId", j.workspace_id AS "workspaceId", j.campaign_id AS "campaignId",
  j.prospect_id AS "prospectId", j.sequence_id AS "sequenceId", j.graph_version AS "graphVersion", j.state, j.node_id AS "nodeId", j.round, j.last_step AS "lastStep",
  j.anchor_email_id AS "anchorEmailId", j.anchored_at AS "anchoredAt", j.anchor_held_ms AS "anchorHeldMs", j.arrived_at AS "arrivedAt", ${WHY_LEFT} AS left`

/**
 * Locked until the transaction ends, their people before them and each by id, like everywhere: who leaves at this moment
 * has left before, or waits and then finds them where they have come to.
 */
export async function lockJourneys(tx: Sql, enrolmentIds: readonly string[]): Promise<Map<string, Journey>> {
  const ids = plainArray(enrolmentIds)
  await tx.query(
    `SELECT FROM prospects WHERE id IN (SELECT prospect_id FROM journeys WHERE enrolment_id = ANY($1::uuid[]))
     ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  )
  await tx.query('SELECT FROM journeys WHERE enrolment_id = ANY($1::uuid[]) ORDER BY enrolment_id FOR NO KEY UPDATE', [
    ids,
  ])
  const { rows } = await tx.query<Journey>(
    `SELECT ${JOURNEY_COLUMNS} FROM journeys j JOIN prospects p ON p.id = j.prospect_id WHERE j.enrolment_id = ANY($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.enrolmentId, row]))
}

export type NewStep = { enrolmentId: string; nodeId: string; round: number; what: JourneyWord; note?: string | null }

/** What they came through, in the order given. */
export async function writeSteps(tx: Sql, workspaceId: string, steps: readonly NewStep[]): Promise<void> {
  if (steps.length === 0) return
  await tx.query(
    `INSERT INTO journey_steps (workspace_id, enrolment_id, node_id, round, what, note)
     SELECT $1, s.enrolment_id, s.node_id, s.round, s.what, s.note
     FROM unnest($2::uuid[], $3::text[], $4::int[], $5::text[], $6::text[]) WITH ORDINALITY AS s(enrolment_id, node_id, round, what, note, nth)
     ORDER BY s.nth`,
    [
      workspaceId,
      steps.map(({ enrolmentId }) => enrolmentId),
      steps.map(({ nodeId }) => nodeId),
      steps.map(({ round }) => round),
      steps.map(({ what }) => what),
      steps.map(({ note }) => note ?? null),
    ],
  )
}
