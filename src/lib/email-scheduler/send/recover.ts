import { lockOwners } from '#lib/email-scheduler/effects/owners.ts'
import { isInFlight } from '#lib/email-scheduler/lease.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { afterLease } from './after-lease.ts'
import { reservationOf, returnReservations } from './reservation.ts'

export type Recovered = { id: string; leaseToken: number; status: ScheduledEmailStatus }

export const EXPIRED_LEASES = `SELECT id FROM scheduled_emails WHERE status = 'SENDING' AND lease_until <= app_now()`

type RecoveredRow = Recovered & {
  acceptedToken: number | null
  marked: boolean
  workspaceId: string
  mailboxId: string
  reservedDate: string | null
}

/**
 * Leases that ran out, a batch at a time: without a mark the email goes back to where it came from and no attempt is
 * counted, and its place in the quota is given back; with a mark it may have been sent, so its outcome is unknown. Any
 * number of these may run at once, and beside the workers whose leases they are: a row that is being settled right now
 * is passed over.
 */
export async function recover(tx: Sql, limit: number): Promise<Recovered[]> {
  const expired = await tx.query<{ id: string }>(`${EXPIRED_LEASES} ORDER BY lease_until LIMIT $1`, [limit])
  const ids = expired.rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const unwanted = await lockOwners(tx, ids)
  const { rows } = await tx.query<RecoveredRow>(
    `WITH now AS MATERIALIZED (SELECT app_now() AS at), expired AS MATERIALIZED (
       SELECT id, lease_token, leased_by, leased_at, marked_token IS NOT DISTINCT FROM lease_token AS marked
       FROM scheduled_emails r
       WHERE id = ANY($1::uuid[]) AND ${isInFlight('r')} AND lease_until <= app_now()
       ORDER BY id FOR UPDATE SKIP LOCKED
     ), recovered AS (
       UPDATE scheduled_emails e SET
         status = CASE WHEN x.marked THEN 'OUTCOME_UNKNOWN' WHEN u.reason IS NOT NULL THEN 'CANCELLED'
           WHEN e.next_retry_at IS NULL THEN 'SCHEDULED' ELSE 'RETRY_SCHEDULED' END::scheduled_email_status,
         attempts = e.attempts + x.marked::int,
         cancelled_at = CASE WHEN NOT x.marked AND u.reason IS NOT NULL THEN now.at END,
         cancel_reason = CASE WHEN NOT x.marked THEN u.reason END,
         next_retry_at = CASE WHEN NOT x.marked AND u.reason IS NULL THEN e.next_retry_at END,
         ready_at = CASE WHEN NOT x.marked AND u.reason IS NULL THEN e.ready_at END,
         last_error = CASE WHEN x.marked THEN 'The worker was lost after it had begun to hand the message over.'
           ELSE e.last_error END,
         last_error_code = CASE WHEN x.marked THEN 'LEASE_EXPIRED' ELSE e.last_error_code END,
         lease_until = NULL, leased_by = NULL, leased_at = NULL, updated_at = now.at
       FROM now, expired x LEFT JOIN unnest($2::uuid[], $3::text[]) AS u(id, reason) ON u.id = x.id
       WHERE e.id = x.id AND e.lease_token = x.lease_token
       RETURNING e.id, e.lease_token, e.workspace_id, e.mailbox_id, e.reserved_date, e.attempts, e.status, e.accepted_token, e.submit_started_at,
         x.marked, x.leased_by, x.leased_at, now.at
     ), kept AS (
       INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at,
         outcome, error_code)
       SELECT id, lease_token, workspace_id, CASE WHEN marked THEN attempts ELSE attempts + 1 END, leased_by, leased_at,
         CASE WHEN marked THEN submit_started_at END, at,
         CASE WHEN marked THEN 'UNKNOWN' ELSE 'RELEASED' END::attempt_outcome, 'LEASE_EXPIRED' FROM recovered
     )
     SELECT id, lease_token AS "leaseToken", status, accepted_token AS "acceptedToken", marked, workspace_id AS "workspaceId", mailbox_id AS "mailboxId", reserved_date AS "reservedDate"
     FROM recovered`,
    [ids, [...unwanted.keys()], [...unwanted.values()]],
  )
  const statuses = await afterLease(tx, rows)
  await returnReservations(tx, rows.filter(({ marked }) => !marked).map(reservationOf))
  return rows.map(({ id, leaseToken, status }) => ({ id, leaseToken, status: statuses.get(id) ?? status }))
}
