import type { Sql } from '#lib/platform/database.ts'
import { BROKER } from '#lib/platform/rows/for-broker.ts'
import type { ActionType } from './action-types.ts'
import { HELD_NO_LONGER } from './claim.ts'
import { type ActionCounted, countActions } from './counts.ts'
import { ACTION_RETRY_MINUTES } from './limits.ts'
import type { ActionReason } from './reasons.ts'

const TAKEN_BACK_AT_ONCE = 1_000

/**
 * Leases that ran out: their workers are gone, and nothing of what they began was committed. Back into the queue at once;
 * it counts as an attempt, so that what ends its worker each time ends as well. What was lost on its way through a broker
 * was begun by nobody, and is charged nothing, however often the broker forgets.
 */
export async function recoverActions(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ type: ActionType; status: string }>(
    `WITH lost AS MATERIALIZED (
       SELECT id, lease_token, leased_by, leased_at, leased_by NOT LIKE '${BROKER}%' AS begun FROM scheduled_actions WHERE status = 'RUNNING' AND lease_until < app_now()
       ORDER BY id LIMIT ${TAKEN_BACK_AT_ONCE} FOR UPDATE SKIP LOCKED
     ), back AS (
       UPDATE scheduled_actions a SET attempts = a.attempts + lost.begun::int, lease_until = NULL, leased_by = NULL, leased_at = NULL,
         status = CASE WHEN lost.begun AND a.attempts >= $1 THEN 'DEAD' ELSE 'PENDING' END::action_status,
         reason = CASE WHEN lost.begun AND a.attempts >= $1 THEN '${'FAILED_TOO_OFTEN' satisfies ActionReason}' END,
         last_error = CASE WHEN lost.begun THEN 'The worker was lost before it was done.' ELSE 'It was lost on its way through the broker.' END,
         ended_at = CASE WHEN lost.begun AND a.attempts >= $1 THEN app_now() END, updated_at = app_now()
       FROM lost WHERE a.id = lost.id RETURNING a.id, a.type, a.status
     ), kept AS (
       INSERT INTO action_attempts (action_id, lease_token, worker, started_at, outcome)
       SELECT lost.id, lost.lease_token, lost.leased_by, lost.leased_at, 'LOST' FROM lost JOIN back ON back.id = lost.id)
     SELECT type, status FROM back`,
    [ACTION_RETRY_MINUTES.length],
  )
  const counts = [...Map.groupBy(rows, ({ type }) => type)].flatMap(([type, ones]): ActionCounted[] => [
    { type, what: 'recovered', count: ones.length },
    { type, what: 'dead', count: ones.filter(({ status }) => status === 'DEAD').length },
  ])
  await countActions(sql, counts)
  return rows.length
}

/** What a pause held, once it is over: each waits for what was left of its time. Where that is a time of the clock, it has come. */
export const RELEASE_HELD = `WITH held AS MATERIALIZED (
       SELECT a.id, c.clock_held_ms FROM (${HELD_NO_LONGER}) c CROSS JOIN LATERAL (
         SELECT id FROM scheduled_actions WHERE campaign_id = c.id AND status = 'HELD' LIMIT ${TAKEN_BACK_AT_ONCE} FOR UPDATE SKIP LOCKED) a
       LIMIT ${TAKEN_BACK_AT_ONCE})
     UPDATE scheduled_actions a SET status = 'PENDING', updated_at = app_now(), held_ms_before = held.clock_held_ms,
       due_at = CASE WHEN a.payload ? 'byTheClock' THEN a.due_at ELSE a.due_at + make_interval(secs => (held.clock_held_ms - a.held_ms_before) / 1000.0) END
     FROM held WHERE a.id = held.id`

export async function releaseHeld(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query(RELEASE_HELD)
  return rowCount ?? 0
}
