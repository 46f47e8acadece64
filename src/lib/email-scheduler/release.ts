import type { Sql } from '#lib/platform/database.ts'
import type { ClaimedEmail } from './claim.ts'
import { moveAccepted } from './late-evidence.ts'
import { inLockOrder } from './lease.ts'
import { lockOwners } from './owners.ts'
import type { CancelReason } from './reasons.ts'
import { giveBackPlaces, heldPlace } from './reserve.ts'
import type { ScheduledEmailStatus } from './states.ts'
import { cancelSuccessors } from './successors.ts'

/** Where a guard sends an email that was not handed over. */
export type ReleaseTo =
  | { kind: 'as-it-was' }
  | { kind: 'later'; readyAt: Date }
  /** Waits for a cure: the guard's name, which lifts it. */
  | { kind: 'parked'; blocker: string }
  | { kind: 'cancelled'; reason: CancelReason }

export type Release = Pick<ClaimedEmail, 'id' | 'leaseToken' | 'worker' | 'claimedAt'> & {
  /** Why it did not go: a guard's name, or the worker's own reason. */
  code: string
  to: ReleaseTo
  receipt?: Record<string, unknown>
}

export type ReleaseAnswer =
  | { id: string; answer: 'released'; status: ScheduledEmailStatus }
  | { id: string; answer: 'lost-lease' }

type ReleasedRow = {
  id: string
  status: ScheduledEmailStatus
  accepted_token: number | null
  workspace_id: string
  mailbox_id: string
  reserved_date: string | null
}

/**
 * Gives emails back that were never handed over: to where they came from, and no attempt is counted. Only an unmarked
 * lease can be given back; whoever set the mark settles, since somebody else may hold the same token.
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
         $8::text[], $9::jsonb[]) AS s(id, lease_token, worker, started_at, code, ready_at, blocker, cancel_reason, receipt)
       WHERE e.id = s.id AND e.status = 'SENDING' AND e.lease_token = s.lease_token
         AND e.marked_token IS DISTINCT FROM e.lease_token
       RETURNING e.id, e.lease_token, e.workspace_id, e.mailbox_id, e.reserved_date, e.attempts, e.status, e.accepted_token, s.worker, s.started_at,
         s.code, s.receipt, now.at
     ), kept AS (
       INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, ended_at, outcome,
         error_code, receipt)
       SELECT id, lease_token, workspace_id, attempts + 1, worker, started_at, at, 'RELEASED', code, receipt FROM released
     )
     SELECT id, status, accepted_token, workspace_id, mailbox_id, reserved_date FROM released`,
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
    ],
  )
  const sent = new Set(
    await moveAccepted(
      tx,
      rows.filter(({ accepted_token }) => accepted_token !== null).map(({ id }) => id),
    ),
  )
  await cancelSuccessors(
    tx,
    rows.filter(({ id, status }) => status === 'CANCELLED' && !sent.has(id)).map(({ id }) => id),
    'PREDECESSOR_CANCELLED',
  )
  await giveBackPlaces(tx, rows.map(heldPlace))
  const released = new Map(rows.map(({ id, status }) => [id, sent.has(id) ? ('SENT' as const) : status]))
  return given.map(({ id }): ReleaseAnswer => {
    const status = released.get(id)
    return status ? { id, answer: 'released', status } : { id, answer: 'lost-lease' }
  })
}
