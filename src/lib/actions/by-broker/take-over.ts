import { CLAIMED, type ClaimedAction, HELD_BY } from '#lib/actions/claim.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { BROKER } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** `fromAnyone`: also from one who has taken it over already, since the broker says that it was lost. */
type Wanted = { id: string; leaseToken: number; fromAnyone: boolean }

/**
 * Takes claimed actions into one's own hands, as emails are taken: by the token that a message names, once for each
 * claim, with a whole lease from now on. Were two to hold one after all, the commit of the first is the end of it for the
 * second, who finds it no longer running. What another transaction holds is passed over.
 */
export async function takeOverActions(sql: Sql, worker: string, wanted: readonly Wanted[]): Promise<ClaimedAction[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<ClaimedAction>(
    prepared(`WITH held AS MATERIALIZED (
       SELECT a.id FROM scheduled_actions a JOIN unnest($2::uuid[], $3::int[], $4::bool[]) AS w(id, lease_token, from_anyone)
         ON a.id = w.id AND a.lease_token = w.lease_token
       WHERE a.status = 'RUNNING' AND a.lease_until > app_now() AND (w.from_anyone OR a.leased_by LIKE '${BROKER}%')
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

/** Which of these ids no action of this database ever had. */
export async function unknownActions(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql.query<{ id: string }>(
    `SELECT w.id FROM unnest($1::uuid[]) AS w(id) WHERE NOT EXISTS (SELECT FROM scheduled_actions a WHERE a.id = w.id)`,
    [plainArray(ids)],
  )
  return new Set(rows.map(({ id }) => id))
}
