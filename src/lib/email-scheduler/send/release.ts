import { lockOwners } from '#lib/email-scheduler/effects/owners.ts'
import { inLockOrder, isInFlight } from '#lib/email-scheduler/lease.ts'
import type { CancelReason, ReleaseCode } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import { afterLease } from './after-lease.ts'
import type { ClaimedEmail } from './claim.ts'
import { reservationOf, returnReservations } from './reservation.ts'

/** Where a guard sends an email that was not handed over. */
export type ReleaseTo =
  | { kind: 'as-it-was' }
  | { kind: 'later'; readyAt: Date }
  /** Waits for a cure: the guard's name, which lifts it. */
  | { kind: 'parked'; blocker: GuardName }
  | { kind: 'cancelled'; reason: CancelReason }

export type Release = Pick<ClaimedEmail, 'id' | 'leaseToken' | 'worker' | 'claimedAt'> & {
  /** Why it did not go: a guard's name, what the mailbox's server said, or the worker's own reason. */
  code: ReleaseCode
  /** As the mailbox's server said it. */
  providerText?: string
  to: ReleaseTo
  receipt?: Record<string, unknown>
}

export type ReleaseAnswer =
  | { id: string; answer: 'released'; status: ScheduledEmailStatus }
  | { id: string; answer: 'lost-lease' }

type ReleasedRow = {
  id: string
  status: ScheduledEmailStatus
  acceptedToken: number | null
  workspaceId: string
  mailboxId: string
  reservedDate: string | null
}

/**
 * Gives emails back that were never handed over: to where they came from, and no attempt is counted. Only an unmarked
 * lease can be given back; the worker that set the mark settles, since another may hold the same token.
 */
export async function release(tx: Sql, given: readonly Release[]): Promise<ReleaseAnswer[]> {
  if (given.length === 0) return []
  const releases = inLockOrder(given)
  const unwanted = await lockOwners(
    tx,
    releases.map(({ id }) => id),
  )
  const cancelReasons = releases.map(({ id, to }) => unwanted.get(id) ?? (to.kind === 'cancelled' ? to.reason : null))
  const { rows } = await tx.query<ReleasedRow>(
    `WITH now AS MATERIALIZED (SELECT app_now() AS at), released AS (
       UPDATE scheduled_emails e SET
         status = CASE WHEN s.cancel_reason IS NOT NULL THEN 'CANCELLED' WHEN e.next_retry_at IS NULL THEN 'SCHEDULED'
           ELSE 'RETRY_SCHEDULED' END::scheduled_email_status,
         cancelled_at = CASE WHEN s.cancel_reason IS NOT NULL THEN now.at END, cancel_reason = s.cancel_reason,
         next_retry_at = CASE WHEN s.cancel_reason IS NULL THEN e.next_retry_at END,
         ready_at = CASE WHEN s.cancel_reason IS NOT NULL OR s.blocker IS NOT NULL THEN NULL
           ELSE coalesce(s.ready_at, e.ready_at) END,
         blocker = CASE WHEN s.cancel_reason IS NULL THEN s.blocker END,
         lease_until = NULL, leased_by = NULL, leased_at = NULL, updated_at = now.at
       FROM now, unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::text[],
         $8::text[], $9::jsonb[], $10::text[])
         AS s(id, lease_token, worker, started_at, code, ready_at, blocker, cancel_reason, receipt, provider_text)
       WHERE e.id = s.id AND ${isInFlight('e')} AND e.lease_token = s.lease_token
         AND e.leased_by = s.worker AND e.leased_at = s.started_at
         AND e.marked_token IS DISTINCT FROM e.lease_token
       RETURNING e.id, e.lease_token, e.workspace_id, e.mailbox_id, e.reserved_date, e.attempts, e.status, e.accepted_token, s.worker, s.started_at,
         s.code, s.receipt, s.provider_text, now.at
     ), kept AS (
       INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, ended_at, outcome,
         error_code, receipt, provider_text)
       SELECT id, lease_token, workspace_id, attempts + 1, worker, started_at, at, 'RELEASED', code, receipt, provider_text
       FROM released
     )
     SELECT id, status, accepted_token AS "acceptedToken", workspace_id AS "workspaceId", mailbox_id AS "mailboxId", reserved_date AS "reservedDate" FROM released`,
    [
      releases.map(({ id }) => id),
      releases.map(({ leaseToken }) => leaseToken),
      releases.map(({ worker }) => worker),
      releases.map(({ claimedAt }) => claimedAt),
      releases.map(({ code }) => code),
      releases.map(({ to }) => (to.kind === 'later' ? to.readyAt : null)),
      releases.map(({ to }) => (to.kind === 'parked' ? to.blocker : null)),
      cancelReasons,
      releases.map(({ receipt }) => (receipt ? JSON.stringify(receipt) : null)),
      releases.map(({ providerText }) => providerText ?? null),
    ],
  )
  const statuses = await afterLease(tx, rows)
  await returnReservations(tx, rows.map(reservationOf))
  return given.map(({ id }): ReleaseAnswer => {
    const status = statuses.get(id)
    return status ? { id, answer: 'released', status } : { id, answer: 'lost-lease' }
  })
}
