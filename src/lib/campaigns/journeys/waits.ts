import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { Awaited } from '#lib/sequences/graph/node-types.ts'
import type { Journey } from './journey.ts'
import { effectiveDeadline } from './leave.ts'

export type NewWait = {
  journey: Pick<Journey, 'enrolmentId' | 'prospectId' | 'round' | 'anchorHeldMs'> & {
    anchorEmailId: string
    anchoredAt: Date
  }
  nodeId: string
  deadline: Date
  awaited: Awaited
  onEvent: string | null
  onTimeout: string | null
}

/**
 * For those who come to branches in this transaction: their journeys are locked. A deadline counts from the email before,
 * and what pauses have held since then is added to it. Its key is never used again.
 */
export async function makeWaits(tx: Sql, workspaceId: string, waits: readonly NewWait[]): Promise<void> {
  await tx.query(
    `INSERT INTO journey_waits (workspace_id, enrolment_id, prospect_id, node_id, round, anchor_email_id, anchored_at, deadline, held_ms_before,
       event_type, event_name, on_event, on_timeout)
     SELECT $1, w.enrolment_id, w.prospect_id, w.node_id, w.round, w.anchor, w.anchored_at, w.deadline, w.held,
       w.event_type, w.event_name, w.on_event, w.on_timeout
     FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::uuid[], $7::timestamptz[], $8::timestamptz[],
       $9::person_event_type[], $10::text[], $11::text[], $12::text[], $13::bigint[])
       AS w(enrolment_id, prospect_id, node_id, round, anchor, anchored_at, deadline, event_type, event_name, on_event, on_timeout, held)
     ON CONFLICT (enrolment_id, node_id, round) DO NOTHING`,
    [
      workspaceId,
      plainArray(waits.map(({ journey }) => journey.enrolmentId)),
      plainArray(waits.map(({ journey }) => journey.prospectId)),
      waits.map(({ nodeId }) => nodeId),
      plainArray(waits.map(({ journey }) => journey.round)),
      plainArray(waits.map(({ journey }) => journey.anchorEmailId)),
      waits.map(({ journey }) => journey.anchoredAt),
      waits.map(({ deadline }) => deadline),
      waits.map(({ awaited }) => awaited.event),
      waits.map(({ awaited }) => awaited.name ?? null),
      waits.map(({ onEvent }) => onEvent),
      waits.map(({ onTimeout }) => onTimeout),
      plainArray(waits.map(({ journey }) => journey.anchorHeldMs)),
    ],
  )
}

export type Decided = {
  enrolmentId: string
  nodeId: string
  outcome: 'EVENT' | 'TIMEOUT'
  /** The edge that is taken. */
  target: string | null
  /** What follows counts from here: a time-out from its deadline, an event from when it was seen. */
  from: Date
}

/** An exit that was taken back (a reply that was none) has not happened, though it stays written down. */
export const STILL_STANDS = `(e.type NOT IN ('REPLIED', 'BOUNCED') OR EXISTS (SELECT FROM prospects p WHERE p.id = w.prospect_id
    AND CASE e.type WHEN 'REPLIED' THEN p.replied_at ELSE p.bounced_at END IS NOT NULL))`

/**
 * The event that decides a wait: the first that happened after the email before was handed over and no later than the
 * deadline. What is opened or followed must be of that email. One index leads to it, past all else that the person did.
 */
const FIRST_EVENT = `SELECT e.id FROM person_events e
  WHERE e.workspace_id = w.workspace_id AND e.prospect_id = w.prospect_id AND e.type = w.event_type AND e.type NOT IN ('SENT', 'FAILED')
    AND coalesce(e.name, '') = coalesce(w.event_name, '') AND (e.type NOT IN ('OPENED', 'CLICKED') OR e.email_id = w.anchor_email_id)
    AND e.occurred_at >= w.anchored_at AND e.occurred_at <= ${effectiveDeadline('w', 'c')} AND ${STILL_STANDS}
  ORDER BY e.occurred_at, e.id LIMIT 1`

const DECIDED = `w.enrolment_id AS "enrolmentId", w.node_id AS "nodeId", w.outcome,
  CASE w.outcome WHEN 'EVENT' THEN w.on_event ELSE w.on_timeout END AS target`

/** Which of these people's open waits an event has decided. The journeys are locked, and the update asks once more. */
export const DECIDE_BY_EVENTS = `UPDATE journey_waits w SET outcome = 'EVENT', outcome_at = app_now(), event_id = found.id
  FROM (SELECT w.id AS wait_id, e.id FROM journey_waits w JOIN journeys j ON j.enrolment_id = w.enrolment_id
      JOIN campaigns c ON c.id = j.campaign_id CROSS JOIN LATERAL (${FIRST_EVENT}) e
    WHERE w.enrolment_id = ANY($1::uuid[]) AND w.outcome IS NULL) found
  WHERE w.id = found.wait_id AND w.outcome IS NULL
  RETURNING ${DECIDED}, app_now() AS from`

export async function decideByEvents(tx: Sql, enrolmentIds: readonly string[]): Promise<Decided[]> {
  const { rows } = await tx.query<Decided>(DECIDE_BY_EVENTS, [plainArray(enrolmentIds)])
  return rows
}

/**
 * Which of them have run out, so that nothing that happens from now on counts. After a look at the events, in the same
 * transaction: an event that is there by then has won.
 */
export async function decideByTime(tx: Sql, enrolmentIds: readonly string[], graceSeconds: number): Promise<Decided[]> {
  const { rows } = await tx.query<Decided>(
    `UPDATE journey_waits w SET outcome = 'TIMEOUT', outcome_at = app_now() FROM journeys j, campaigns c
     WHERE w.enrolment_id = ANY($1::uuid[]) AND w.outcome IS NULL AND j.enrolment_id = w.enrolment_id AND c.id = j.campaign_id
       AND ${effectiveDeadline('w', 'c')} + make_interval(secs => $2) <= app_now()
     RETURNING ${DECIDED}, ${effectiveDeadline('w', 'c')} AS from`,
    [plainArray(enrolmentIds), graceSeconds],
  )
  return rows
}

/** The edge that a decided wait leads to, of those who were told to move on from a branch. */
export async function readDecided(tx: Sql, enrolmentIds: readonly string[]): Promise<Decided[]> {
  const { rows } = await tx.query<Decided>(
    `SELECT ${DECIDED}, w.outcome_at AS from FROM journey_waits w JOIN journeys j
       ON j.enrolment_id = w.enrolment_id AND j.node_id = w.node_id AND j.round = w.round
     WHERE w.enrolment_id = ANY($1::uuid[]) AND w.outcome IN ('EVENT', 'TIMEOUT')`,
    [plainArray(enrolmentIds)],
  )
  return rows
}
