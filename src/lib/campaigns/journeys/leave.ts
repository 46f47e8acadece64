import { cancelActionsOfPeople } from '#lib/actions/cancel.ts'
import type { ActionReason } from '#lib/actions/reasons.ts'
import { type NewAction, scheduleActions } from '#lib/actions/schedule.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

type Whose = { prospectId: string } | { enrolmentIds: readonly string[] }

/** The event that each way of leaving is, for a branch that waits for exactly that. */
const EVENT_OF: Partial<Record<ActionReason, 'REPLIED' | 'BOUNCED' | 'UNSUBSCRIBED'>> = {
  PROSPECT_REPLIED: 'REPLIED',
  PROSPECT_BOUNCED: 'BOUNCED',
  PROSPECT_UNSUBSCRIBED: 'UNSUBSCRIBED',
}

type Leaving = {
  enrolmentId: string
  workspaceId: string
  campaignId: string
  prospectId: string
  nodeId: string
  round: number
}

/**
 * People leave their sequences for good: what waits for them is cancelled in the commit of their leaving, which holds their
 * rows. Where a branch waits for exactly that (a reply), it has happened in time, and they go that way: it sends nothing,
 * and ends. Linear sequences have no journeys, and nothing happens here.
 */
export async function leaveJourneys(tx: Sql, whose: Whose, reason: ActionReason): Promise<void> {
  const [theirs, id] =
    'prospectId' in whose
      ? ['j.prospect_id = $1', whose.prospectId]
      : ['j.enrolment_id = ANY($1::uuid[])', plainArray(whose.enrolmentIds)]
  const { rows } = await tx.query<Leaving>(
    `SELECT j.enrolment_id AS "enrolmentId", j.workspace_id AS "workspaceId", j.campaign_id AS "campaignId", j.prospect_id AS "prospectId",
       j.node_id AS "nodeId", j.round
     FROM journeys j WHERE ${theirs} AND j.state <> 'ENDED' ORDER BY j.enrolment_id FOR NO KEY UPDATE`,
    [id],
  )
  if (rows.length === 0) return
  const event = EVENT_OF[reason]
  const going = event ? await goByTheEvent(tx, rows, event) : new Set<string>()
  const leaving = rows.filter(({ enrolmentId }) => !going.has(enrolmentId))
  await endJourneys(
    tx,
    leaving.map(({ enrolmentId }) => ({ enrolmentId, reason })),
  )
}

/** Those whose branch waits for it, or has just been told of it. */
async function goByTheEvent(tx: Sql, rows: readonly Leaving[], event: string): Promise<Set<string>> {
  const ids = plainArray(rows.map(({ enrolmentId }) => enrolmentId))
  const { rows: decided } = await tx.query<{ enrolmentId: string }>(
    `UPDATE journey_waits w SET outcome = 'EVENT', outcome_at = app_now() FROM campaigns c, journeys j
     WHERE w.enrolment_id = ANY($1::uuid[]) AND w.outcome IS NULL AND w.event_type = $2::person_event_type
       AND j.enrolment_id = w.enrolment_id AND j.state = 'BRANCH' AND c.id = j.campaign_id
       AND app_now() <= ${effectiveDeadline('w', 'c')}
     RETURNING w.enrolment_id AS "enrolmentId"`,
    [ids, event],
  )
  const moving = new Set(decided.map(({ enrolmentId }) => enrolmentId))
  const { rows: told } = await tx.query<{ enrolmentId: string }>(
    `SELECT j.enrolment_id AS "enrolmentId" FROM journeys j JOIN journey_waits w ON w.enrolment_id = j.enrolment_id AND w.node_id = j.node_id
       AND w.round = j.round
     WHERE j.enrolment_id = ANY($1::uuid[]) AND j.state = 'MOVING' AND w.outcome = 'EVENT' AND w.event_type = $2::person_event_type`,
    [ids, event],
  )
  await cancelActionsOfPeople(tx, [...moving], 'LEFT_NODE')
  await moveOn(
    tx,
    rows.filter(({ enrolmentId }) => moving.has(enrolmentId)),
  )
  return new Set([...moving, ...told.map(({ enrolmentId }) => enrolmentId)])
}

/** They go on from where they stand with the next tick. Locked by the caller. */
export async function moveOn(tx: Sql, people: readonly Leaving[]): Promise<void> {
  await tx.query(`UPDATE journeys SET state = 'MOVING' WHERE enrolment_id = ANY($1::uuid[])`, [
    plainArray(people.map(({ enrolmentId }) => enrolmentId)),
  ])
  for (const [workspaceId, ones] of Map.groupBy(people, (one) => one.workspaceId))
    await scheduleActions(tx, workspaceId, ones.map(moveOnAction))
}

/** One for each place that a person comes to, however many ask for it. */
export function moveOnAction(one: Omit<Leaving, 'workspaceId'>): NewAction {
  const { enrolmentId, campaignId, prospectId, nodeId, round } = one
  return {
    type: 'MOVE_ON',
    dedupeKey: `move:${enrolmentId}:${nodeId}:${round}`,
    campaignId,
    enrolmentId,
    prospectId,
    nodeId,
    round,
  }
}

/** Of a wait `w` in a campaign `c`: its deadline, with what pauses have held since it was made on top. */
export function effectiveDeadline(wait: string, campaign: string): string {
  return `${wait}.deadline + make_interval(secs => (${heldMs(campaign)} - ${wait}.held_ms_before) / 1000.0)`
}

/** For how long pauses have held the clock of a campaign, up to now. */
export function heldMs(campaign: string): string {
  return `(${campaign}.clock_held_ms + coalesce(round(extract(epoch FROM app_now() - ${campaign}.clock_held_since) * 1000), 0))`
}

export type Ending = { enrolmentId: string; reason: ActionReason }

/** Nothing more comes of it, and nothing waits for it any more. Locked by the caller. */
export async function endJourneys(tx: Sql, ending: readonly Ending[]): Promise<void> {
  if (ending.length === 0) return
  const ids = plainArray(ending.map(({ enrolmentId }) => enrolmentId))
  const reasons = ending.map(({ reason }) => reason)
  await tx.query(
    `WITH ended AS (
       UPDATE journeys j SET state = 'ENDED', ended_at = app_now(), ended_reason = e.reason
       FROM unnest($1::uuid[], $2::text[]) AS e(id, reason) WHERE j.enrolment_id = e.id AND j.state <> 'ENDED' RETURNING j.*
     ), told AS (
       INSERT INTO journey_steps (workspace_id, enrolment_id, node_id, round, what, note)
       SELECT workspace_id, enrolment_id, node_id, round, CASE ended_reason WHEN 'WALKED_THROUGH' THEN 'ended' ELSE 'left' END, ended_reason
       FROM ended ORDER BY enrolment_id)
     UPDATE journey_waits w SET outcome = 'LEFT', outcome_at = app_now() FROM ended
     WHERE w.enrolment_id = ended.enrolment_id AND w.outcome IS NULL`,
    [ids, reasons],
  )
  for (const [reason, ones] of Map.groupBy(ending, (one) => one.reason))
    await cancelActionsOfPeople(
      tx,
      ones.map(({ enrolmentId }) => enrolmentId),
      reason,
    )
}

/** Those of a campaign that was stopped for good, some at a time: nothing moves them on any more. */
export async function leaveStopped(tx: Sql, campaignId: string, limit: number): Promise<number> {
  const { rows } = await tx.query<{ enrolmentId: string }>(
    `SELECT j.enrolment_id AS "enrolmentId" FROM journeys j JOIN campaigns c ON c.id = j.campaign_id
     WHERE c.id = $1 AND c.status = 'STOPPED' AND j.state <> 'ENDED' ORDER BY j.enrolment_id LIMIT $2 FOR NO KEY UPDATE OF j`,
    [campaignId, limit],
  )
  await endJourneys(
    tx,
    rows.map(({ enrolmentId }) => ({ enrolmentId, reason: 'CAMPAIGN_STOPPED' })),
  )
  return rows.length
}
