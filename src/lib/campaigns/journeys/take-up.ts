import type { ActionReason } from '#lib/actions/reasons.ts'
import { type NewAction, scheduleActions } from '#lib/actions/schedule.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { JourneyState } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { readKeptGraphs } from '#lib/sequences/graph/graph-versions.ts'
import { type Journey, lockJourneys, writeSteps } from './journey.ts'
import { moveOnAction } from './leave.ts'

/** Why people left who may be taken up again: what was a mistake, or is over. */
const MAY_BE_TAKEN_BACK = [
  'BY_PERSON',
  'PROSPECT_REPLIED',
  'PROSPECT_BOUNCED',
  'PROSPECT_ARCHIVED',
  'SUPPRESSED',
] as const satisfies readonly ActionReason[]

/**
 * Of a journey `j`: its person left it in between two emails, and nothing about them speaks against going on. Who left
 * before an email that was planned has that email: taking its cancellation back takes them up. Whom their exit has led to
 * the end of a sequence ("if replied: end") had not exited after all. Each question asks for one row, and not whether there
 * is one: of an EXISTS the planner may read all people and all emails at once, to look up the few of a page.
 */
export const CAN_BE_TAKEN_UP = `j.state = 'ENDED' AND (j.ended_reason IN (${MAY_BE_TAKEN_BACK.map((reason) => `'${reason}'`).join(', ')})
    OR j.ended_reason = 'WALKED_THROUGH' AND (SELECT true FROM journey_waits w WHERE w.enrolment_id = j.enrolment_id AND w.node_id = j.node_id
      AND w.round = j.round AND w.outcome = 'EVENT' AND w.event_type IN ('REPLIED', 'BOUNCED') LIMIT 1))
  AND (SELECT true FROM scheduled_emails sent WHERE sent.campaign_prospect_id = j.enrolment_id AND sent.step_number = j.last_step
    AND sent.status = 'SENT' LIMIT 1)
  AND (SELECT p.merged_into_id IS NULL AND num_nonnulls(p.replied_at, p.bounced_at, p.unsubscribed_at, p.archived_at, p.erased_at) = 0
    FROM prospects p WHERE p.id = j.prospect_id)`

type Place = { journey: Journey; state: Exclude<JourneyState, 'EMAIL' | 'ENDED'> }

/**
 * Takes people up again where they stood, in a round of their own: no key of a node is used twice. A branch and a wait keep
 * their deadline, and what has happened since counts; what is over by now goes on with the next tick. The caller has
 * locked campaign and people, and has asked that they can be taken up.
 */
export async function takeUpJourneys(tx: Sql, workspaceId: string, enrolmentIds: readonly string[]): Promise<void> {
  const journeys = [...(await lockJourneys(tx, enrolmentIds)).values()].filter(({ state }) => state === 'ENDED')
  const places = await placesOf(tx, journeys)
  if (places.length === 0) return
  await tx.query(
    `UPDATE journeys j SET state = p.state, round = j.round + 1, ended_at = NULL, ended_reason = NULL
     FROM unnest($1::uuid[], $2::journey_state[]) AS p(id, state) WHERE j.enrolment_id = p.id AND j.state = 'ENDED'`,
    [plainArray(places.map(({ journey }) => journey.enrolmentId)), plainArray(places.map(({ state }) => state))],
  )
  // Of an email that a worker handed over while they left, nothing has said so to their journey.
  await tx.query(
    `UPDATE journeys j SET anchor_email_id = e.id, anchored_at = e.sent_at, arrived_at = e.sent_at, anchor_held_ms = c.clock_held_ms
     FROM scheduled_emails e, campaigns c WHERE j.enrolment_id = ANY($1::uuid[]) AND c.id = j.campaign_id AND e.campaign_prospect_id = j.enrolment_id
       AND e.step_number = j.last_step AND e.status = 'SENT' AND j.anchor_email_id IS DISTINCT FROM e.id`,
    [plainArray(places.map(({ journey }) => journey.enrolmentId))],
  )
  const inState = (state: Place['state']) =>
    places.flatMap((place) =>
      place.state === state
        ? [{ ...place.journey, round: place.journey.round + 1, nodeId: place.journey.nodeId ?? '' }]
        : [],
    )
  await waitAgain(tx, workspaceId, inState('BRANCH'))
  const setAgain = await asTheyWereSet(tx, [...inState('BRANCH'), ...inState('WAITING')])
  await scheduleActions(tx, workspaceId, [
    ...setAgain,
    ...inState('BRANCH').map(lookOf),
    ...inState('MOVING').map(moveOnAction),
  ])
  await writeSteps(
    tx,
    workspaceId,
    places.map(({ journey: { enrolmentId, nodeId, round } }) => ({
      ...{ enrolmentId, nodeId: nodeId ?? '', round: round + 1 },
      what: 'taken-up' as const,
    })),
  )
}

type Placed = Journey & { nodeId: string }

/** Where each stood. At an email: it was sent and nobody had moved on yet, or the next one was not planned yet. */
async function placesOf(tx: Sql, journeys: readonly Journey[]): Promise<Place[]> {
  const places: Place[] = []
  for (const [sequenceId, ones] of Map.groupBy(journeys, (journey) => journey.sequenceId)) {
    const versions = ones.map(({ graphVersion }) => graphVersion)
    const graphs = await readKeptGraphs(tx, sequenceId, versions)
    for (const journey of ones) {
      const node = graphs.get(journey.graphVersion)?.nodes.get(journey.nodeId ?? '')?.node
      if (node?.type === 'branch') places.push({ journey, state: 'BRANCH' })
      else if (node?.type === 'wait') places.push({ journey, state: 'WAITING' })
      else if (node?.type === 'email')
        places.push({ journey, state: node.stepNumber === journey.lastStep ? 'MOVING' : 'PLAN' })
    }
  }
  return places
}

/** The wait of the last round once more, undecided: until the same moment, for the same, with the same edges. */
async function waitAgain(tx: Sql, workspaceId: string, people: readonly Placed[]): Promise<void> {
  if (people.length === 0) return
  await tx.query(
    `INSERT INTO journey_waits (workspace_id, enrolment_id, prospect_id, node_id, round, anchor_email_id, anchored_at, deadline, held_ms_before,
       event_type, event_name, on_event, on_timeout)
     SELECT $1, w.enrolment_id, w.prospect_id, w.node_id, n.round, w.anchor_email_id, w.anchored_at, w.deadline, w.held_ms_before,
       w.event_type, w.event_name, w.on_event, w.on_timeout
     FROM unnest($2::uuid[], $3::text[], $4::int[]) AS n(id, node_id, round) CROSS JOIN LATERAL (
       SELECT * FROM journey_waits w WHERE w.enrolment_id = n.id AND w.node_id = n.node_id ORDER BY w.round DESC LIMIT 1) w
     ORDER BY w.enrolment_id ON CONFLICT (enrolment_id, node_id, round) DO NOTHING`,
    [
      workspaceId,
      plainArray(people.map(({ enrolmentId }) => enrolmentId)),
      people.map(({ nodeId }) => nodeId),
      plainArray(people.map(({ round }) => round)),
    ],
  )
}

/** The time-outs and waits that were cancelled when they left, for when they were due. */
async function asTheyWereSet(tx: Sql, people: readonly Placed[]): Promise<NewAction[]> {
  if (people.length === 0) return []
  const { rows } = await tx.query<{
    enrolmentId: string
    type: 'WAIT' | 'TIMEOUT'
    dueAt: Date
    heldMsBefore: number
    payload: Record<string, unknown>
  }>(
    `SELECT a.enrolment_id AS "enrolmentId", a.type, a.due_at AS "dueAt", a.held_ms_before AS "heldMsBefore", a.payload
     FROM unnest($1::uuid[], $2::text[]) AS n(id, node_id) CROSS JOIN LATERAL (
       SELECT * FROM scheduled_actions a WHERE a.enrolment_id = n.id AND a.node_id = n.node_id AND a.type IN ('WAIT', 'TIMEOUT')
       ORDER BY a.round DESC, a.id DESC LIMIT 1) a`,
    [plainArray(people.map(({ enrolmentId }) => enrolmentId)), people.map(({ nodeId }) => nodeId)],
  )
  const personOf = new Map(people.map((person) => [person.enrolmentId, person]))
  return rows.flatMap(({ enrolmentId, type, dueAt, heldMsBefore, payload }): NewAction[] => {
    const person = personOf.get(enrolmentId)
    if (!person) return []
    const { campaignId, prospectId, nodeId, round } = person
    const dedupeKey = `${type.toLowerCase()}:${enrolmentId}:${nodeId}:${round}`
    return [{ type, dedupeKey, dueAt, campaignId, enrolmentId, prospectId, nodeId, round, heldMsBefore, payload }]
  })
}

/** What happened while they were away counts. */
function lookOf({ enrolmentId, campaignId, prospectId, nodeId, round }: Placed): NewAction {
  const dedupeKey = `look:${enrolmentId}:${nodeId}:${round}:taken-up`
  return { type: 'LOOK', dedupeKey, campaignId, enrolmentId, prospectId }
}
