import { CLAIMED, type ClaimedAction, HELD_BY } from '#lib/actions/claim.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { BROKER, type Left, type Looked, leftOf } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** `fromAnyone`: also from one who has taken it over already, since the broker says that it was lost. */
type Wanted = { id: string; leaseToken: number; fromAnyone: boolean }

/** Of an action `a` whose token is the one that is wanted, `w`. */
const MAY_BE_TAKEN = `a.status = 'RUNNING' AND a.lease_until > app_now() AND (w.from_anyone OR a.leased_by LIKE '${BROKER}%')`

/**
 * Takes claimed actions into one's own hands, as emails are taken: by the token that a message names, once for each
 * claim, with a whole lease from now on. Were two to hold one after all, the commit of the first is the end of it for the
 * second, who finds it no longer running. What another transaction holds is passed over, and looked at again.
 */
export async function takeOverActions(sql: Sql, worker: string, wanted: readonly Wanted[]): Promise<ClaimedAction[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<ClaimedAction>(
    prepared(`WITH held AS MATERIALIZED (
       SELECT a.id FROM scheduled_actions a JOIN unnest($2::uuid[], $3::int[], $4::bool[]) AS w(id, lease_token, from_anyone)
         ON a.id = w.id AND a.lease_token = w.lease_token
       WHERE ${MAY_BE_TAKEN}
       ORDER BY a.id FOR UPDATE OF a SKIP LOCKED)
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
export async function lookAtLeftActions(sql: Sql, wanted: readonly Wanted[]): Promise<Left[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<Looked>(
    `SELECT a.id IS NULL AS "isUnknown", coalesce(a.lease_token = w.lease_token AND ${MAY_BE_TAKEN}, false) AS "mayBeTaken"
     FROM unnest($1::uuid[], $2::int[], $3::bool[]) WITH ORDINALITY AS w(id, lease_token, from_anyone, place)
     LEFT JOIN scheduled_actions a ON a.id = w.id ORDER BY w.place`,
    [
      plainArray(wanted.map(({ id }) => id)),
      plainArray(wanted.map(({ leaseToken }) => leaseToken)),
      wanted.map(({ fromAnyone }) => fromAnyone),
    ],
  )
  return rows.map(leftOf)
}
