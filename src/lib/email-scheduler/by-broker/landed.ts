import { isInFlight, type Lease } from '#lib/email-scheduler/lease.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

export type Landed = Lease & { outcome: AttemptOutcome | null; scope: string | null; code: string | null }

/** Of these claims, those that have come to their end: the attempt is written down, or the email has left the lease in any other way. */
export async function lookForLanded(sql: Sql, leases: readonly Lease[]): Promise<Landed[]> {
  const { rows } = await sql.query<Landed>(
    `SELECT w.id, w.lease_token AS "leaseToken", a.outcome, a.error_class AS scope, a.error_code AS code
     FROM unnest($1::uuid[], $2::int[]) AS w(id, lease_token)
     LEFT JOIN email_attempts a ON a.email_id = w.id AND a.lease_token = w.lease_token
     LEFT JOIN scheduled_emails e ON e.id = w.id AND e.lease_token = w.lease_token AND ${isInFlight('e')}
     WHERE a.email_id IS NOT NULL OR e.id IS NULL`,
    [plainArray(leases.map(({ id }) => id)), leases.map(({ leaseToken }) => leaseToken)],
  )
  return rows
}
