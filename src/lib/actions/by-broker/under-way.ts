import type { ClaimedAction } from '#lib/actions/claim.ts'
import type { Sql } from '#lib/platform/database.ts'
import { isInState } from '#lib/platform/rows/by-id.ts'
import { BROKER } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

export type ActionLease = Pick<ClaimedAction, 'id' | 'leaseToken'>

/** Of these claims, those that have come to their end, in any process. */
export async function lookForLandedActions(sql: Sql, leases: readonly ActionLease[]): Promise<ActionLease[]> {
  const { rows } = await sql.query<ActionLease>(
    `SELECT w.id, w.lease_token AS "leaseToken" FROM unnest($1::uuid[], $2::int[]) AS w(id, lease_token)
     WHERE NOT EXISTS (SELECT FROM scheduled_actions a WHERE a.id = w.id AND a.lease_token = w.lease_token AND ${isInState('a', 'RUNNING')})`,
    [plainArray(leases.map(({ id }) => id)), plainArray(leases.map(({ leaseToken }) => leaseToken))],
  )
  return rows
}

export type Untaken = Pick<ClaimedAction, 'id' | 'leaseToken' | 'dedupeKey' | 'type'>

/**
 * What is claimed for a broker and nobody has taken: what the broker must hold, if it has forgotten nothing. What was
 * claimed within the last second is being published just now.
 */
export async function readUntaken(sql: Sql, after: string, limit: number): Promise<Untaken[]> {
  const { rows } = await sql.query<Untaken>(
    `SELECT id, lease_token AS "leaseToken", dedupe_key AS "dedupeKey", type FROM scheduled_actions
     WHERE status = 'RUNNING' AND lease_until > app_now() AND leased_by LIKE '${BROKER}%'
       AND leased_at < app_now() - interval '1 second' AND id > $1 ORDER BY id LIMIT $2`,
    [after, limit],
  )
  return rows
}
