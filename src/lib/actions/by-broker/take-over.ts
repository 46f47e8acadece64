import { CLAIMED, type ClaimedAction, HELD_BY } from '#lib/actions/claim.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { isInState } from '#lib/platform/rows/by-id.ts'
import { BROKER, type Left, lookAtLeftOf, type Wanted } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** Of an action `r` whose token is the one that is wanted, `w`. */
const MAY_BE_TAKEN = `${isInState('r', 'RUNNING')} AND r.lease_until > app_now() AND (w.from_anyone OR r.leased_by LIKE '${BROKER}%')`

/**
 * Takes claimed actions into one's own hands, as emails are taken: by the token that a message names, once for each
 * claim, with a whole lease from now on. Were two to hold one after all, the commit of the first is the end of it for the
 * second, who finds it no longer running. What another transaction holds is passed over, and looked at again.
 */
export async function takeOverActions(sql: Sql, worker: string, wanted: readonly Wanted[]): Promise<ClaimedAction[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<ClaimedAction>(
    prepared(`WITH held AS MATERIALIZED (
       SELECT r.id FROM scheduled_actions r JOIN unnest($2::uuid[], $3::int[], $4::bool[]) AS w(id, lease_token, from_anyone)
         ON r.id = w.id AND r.lease_token = w.lease_token
       WHERE ${MAY_BE_TAKEN}
       ORDER BY r.id FOR UPDATE OF r SKIP LOCKED)
     UPDATE scheduled_actions a SET ${HELD_BY} FROM held WHERE a.id = held.id RETURNING ${CLAIMED}`),
    [
      worker,
      plainArray(wanted.map(({ id }) => id)),
      plainArray(wanted.map(({ leaseToken }) => leaseToken)),
      wanted.map(({ fromAnyone }) => fromAnyone),
    ],
  )
  return rows
}

/** What is the case with those that were not taken over, in the order of `wanted`. */
export function lookAtLeftActions(sql: Sql, wanted: readonly Wanted[]): Promise<Left[]> {
  return lookAtLeftOf(sql, 'scheduled_actions', MAY_BE_TAKEN, wanted)
}
