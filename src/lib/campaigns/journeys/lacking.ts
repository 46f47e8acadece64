import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { effectiveDeadline } from './leave.ts'
import { STILL_STANDS } from './waits.ts'

/** What should be there for a person on the way, and is not. */
export type Lack = 'move-on' | 'wait' | 'timeout' | 'open-wait' | 'look' | 'sent'

export type Lacking = { enrolmentId: string; workspaceId: string; campaignId: string; lack: Lack }

const OPEN = `a.status IN ('PENDING', 'RUNNING', 'HELD', 'DEAD')`

/** Written so that it cannot be hashed: an EXISTS of equalities alone tempts the planner into reading every action there is. */
const ofRound = (alias: 'a' | 'w') => `${alias}.node_id = j.node_id AND ${alias}.round IS NOT DISTINCT FROM j.round`

const hasAction = (
  type: string,
) => `EXISTS (SELECT FROM scheduled_actions a WHERE a.enrolment_id = j.enrolment_id AND a.type = '${type}'
  AND ${ofRound('a')} AND ${OPEN})`

/** Of a wait `w`: an event that has happened in time, and that nobody looks at any more. */
const UNMATCHED = `EXISTS (SELECT FROM person_events e JOIN campaigns c ON c.id = j.campaign_id
    WHERE e.workspace_id = w.workspace_id AND e.prospect_id = w.prospect_id AND e.type = w.event_type
      AND e.type NOT IN ('SENT', 'FAILED') AND coalesce(e.name, '') = coalesce(w.event_name, '') AND (e.type NOT IN ('OPENED', 'CLICKED') OR e.email_id = w.anchor_email_id)
      AND e.occurred_at >= w.anchored_at AND e.occurred_at <= ${effectiveDeadline('w', 'c')} AND ${STILL_STANDS})
  AND NOT EXISTS (SELECT FROM scheduled_actions a WHERE a.enrolment_id = j.enrolment_id AND a.type = 'LOOK' AND ${OPEN})`

/** Of a journey `j` that is not over. A place and what belongs to it are one commit, so that one look sees both or neither. */
export const LACK = `CASE j.state
  WHEN 'MOVING' THEN CASE WHEN NOT ${hasAction('MOVE_ON')} THEN 'move-on' END
  WHEN 'WAITING' THEN CASE WHEN NOT ${hasAction('WAIT')} THEN 'wait' END
  WHEN 'BRANCH' THEN CASE
    WHEN NOT EXISTS (SELECT FROM journey_waits w WHERE w.enrolment_id = j.enrolment_id AND w.outcome IS NULL AND ${ofRound('w')}) THEN 'open-wait'
    WHEN NOT ${hasAction('TIMEOUT')} THEN 'timeout'
    WHEN EXISTS (SELECT FROM journey_waits w WHERE w.enrolment_id = j.enrolment_id AND w.outcome IS NULL AND ${UNMATCHED}) THEN 'look' END
  WHEN 'EMAIL' THEN CASE WHEN EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_prospect_id = j.enrolment_id
    AND e.step_number = j.last_step AND e.status = 'SENT') THEN 'sent' END END`

const STRETCH = 2_000

/** The next stretch of those who are on the way: what some of them lack, and where it ended; null at the end. */
export async function findLacking(sql: Sql, afterId: string): Promise<{ lacking: Lacking[]; endedAt: string | null }> {
  const { rows } = await sql.query<Lacking & { lack: Lack | null }>(
    `SELECT j.enrolment_id AS "enrolmentId", j.workspace_id AS "workspaceId", j.campaign_id AS "campaignId", ${LACK} AS lack
     FROM (SELECT * FROM journeys WHERE state <> 'ENDED' AND enrolment_id > $1 ORDER BY enrolment_id LIMIT ${STRETCH}) j
     ORDER BY j.enrolment_id`,
    [afterId],
  )
  return {
    lacking: rows.filter(({ lack }) => lack !== null),
    endedAt: rows.length === STRETCH ? (rows.at(-1)?.enrolmentId ?? null) : null,
  }
}

/** The same of some people, who are locked by now. */
export async function lackNow(tx: Sql, enrolmentIds: readonly string[]): Promise<Map<string, Lack>> {
  const { rows } = await tx.query<{ id: string; lack: Lack }>(
    `SELECT * FROM (SELECT j.enrolment_id AS id, ${LACK} AS lack FROM journeys j WHERE j.enrolment_id = ANY($1::uuid[]) AND j.state <> 'ENDED') l
     WHERE lack IS NOT NULL`,
    [plainArray(enrolmentIds)],
  )
  return new Map(rows.map(({ id, lack }) => [id, lack]))
}

/** Their last email was sent, and nothing has said so: as the database does when it is. */
export async function noteSent(tx: Sql, enrolmentIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE journeys j SET state = 'MOVING', anchor_email_id = e.id, anchored_at = e.sent_at, arrived_at = e.sent_at, anchor_held_ms = c.clock_held_ms
     FROM scheduled_emails e, campaigns c WHERE c.id = j.campaign_id AND j.enrolment_id = ANY($1::uuid[]) AND j.state = 'EMAIL' AND e.campaign_prospect_id = j.enrolment_id
       AND e.step_number = j.last_step AND e.status = 'SENT'`,
    [plainArray(enrolmentIds)],
  )
}

/** Of an open wait: until when, and for how long pauses had held the clock when it was made. */
export async function readOpenWaits(
  tx: Sql,
  enrolmentIds: readonly string[],
): Promise<Map<string, { deadline: Date; heldMsBefore: number }>> {
  const { rows } = await tx.query<{ id: string; deadline: Date; heldMsBefore: number }>(
    `SELECT enrolment_id AS id, deadline, held_ms_before AS "heldMsBefore" FROM journey_waits WHERE enrolment_id = ANY($1::uuid[]) AND outcome IS NULL`,
    [plainArray(enrolmentIds)],
  )
  return new Map(rows.map(({ id, ...wait }) => [id, wait]))
}
