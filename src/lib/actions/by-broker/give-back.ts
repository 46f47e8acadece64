import type { ClaimedAction } from '#lib/actions/claim.ts'
import type { Sql } from '#lib/platform/database.ts'
import { isInState } from '#lib/platform/rows/by-id.ts'
import { BROKER } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/**
 * Back into the queue as they were, with no attempt counted: nobody has begun them. Only what is on its way through a
 * broker; what another worker has taken over by now is its own. Answers how many.
 */
export async function giveBackActions(sql: Sql, actions: readonly ClaimedAction[], why: string): Promise<number> {
  if (actions.length === 0) return 0
  const { rowCount } = await sql.query(
    `WITH held AS MATERIALIZED (
       SELECT a.id, a.lease_token, a.leased_by, a.leased_at FROM scheduled_actions a JOIN unnest($1::uuid[], $2::int[]) AS mine(id, token)
         ON a.id = mine.id AND a.lease_token = mine.token
       WHERE ${isInState('a', 'RUNNING')} AND a.leased_by LIKE '${BROKER}%' ORDER BY a.id FOR UPDATE OF a SKIP LOCKED
     ), back AS (
       UPDATE scheduled_actions a SET status = 'PENDING', lease_until = NULL, leased_by = NULL, leased_at = NULL, updated_at = app_now()
       FROM held WHERE a.id = held.id)
     INSERT INTO action_attempts (action_id, lease_token, worker, started_at, outcome, error)
     SELECT id, lease_token, leased_by, leased_at, 'PUT_OFF', $3 FROM held`,
    [plainArray(actions.map(({ id }) => id)), plainArray(actions.map(({ leaseToken }) => leaseToken)), why],
  )
  return rowCount ?? 0
}
