import type { Sql } from '#lib/platform/database.ts'
import { inLockOrder, type Lease } from './lease.ts'

export type MarkAnswer =
  | { id: string; answer: 'marked'; markedAt: Date; leaseUntil: Date }
  | { id: string; answer: MarkRefusal }

/**
 * Why nothing may be handed over. `lost-lease`: it belongs to somebody else now. `lease-too-short`: the submit could
 * outlive the lease. `already-marked`: this lease handed it over once (a broker may deliver twice). `already-accepted`:
 * an earlier attempt reached the provider after all; release it, and it becomes SENT.
 */
export type MarkRefusal = 'lost-lease' | 'lease-too-short' | 'already-marked' | 'already-accepted'

/**
 * The last step before an email is handed over, committed on its own: from here on it may have been sent. One mark for
 * each lease: were a second allowed, two holders of the same token would both submit. That an attempt was accepted is
 * read from the row itself and not from its attempts: a mark that waited for the row's lock would still look at the
 * attempts as they were before the wait.
 */
export async function mark(tx: Sql, leases: readonly Lease[], submitDeadlineMs: number): Promise<MarkAnswer[]> {
  const ordered = inLockOrder(leases)
  const { rows } = await tx.query<{ id: string; markedAt: Date; leaseUntil: Date }>(
    `UPDATE scheduled_emails e SET marked_token = e.lease_token, submit_started_at = app_now(), updated_at = app_now()
     FROM unnest($1::uuid[], $2::int[]) AS held(id, lease_token)
     WHERE e.id = held.id AND e.status = 'SENDING' AND e.lease_token = held.lease_token
       AND e.marked_token IS DISTINCT FROM e.lease_token AND e.accepted_token IS NULL
       AND e.lease_until >= app_now() + $3 * interval '1 millisecond'
     RETURNING e.id, e.submit_started_at AS "markedAt", e.lease_until AS "leaseUntil"`,
    [ordered.map(({ id }) => id), ordered.map(({ leaseToken }) => leaseToken), submitDeadlineMs],
  )
  const marked = new Map(rows.map((row) => [row.id, row]))
  const refused = leases.filter(({ id }) => !marked.has(id))
  const refusals = refused.length > 0 ? await readRefusals(tx, refused) : new Map<string, MarkRefusal>()
  return leases.map(({ id }) => {
    const row = marked.get(id)
    return row ? { ...row, answer: 'marked' } : { id, answer: refusals.get(id) ?? 'lost-lease' }
  })
}

async function readRefusals(tx: Sql, leases: readonly Lease[]): Promise<Map<string, MarkRefusal>> {
  const { rows } = await tx.query<{ id: string; refusal: MarkRefusal }>(
    `SELECT e.id, CASE
       WHEN e.marked_token = e.lease_token THEN 'already-marked'
       WHEN e.accepted_token IS NOT NULL THEN 'already-accepted'
       ELSE 'lease-too-short' END AS refusal
     FROM scheduled_emails e JOIN unnest($1::uuid[], $2::int[]) AS held(id, lease_token)
       ON e.id = held.id AND e.lease_token = held.lease_token
     WHERE e.status = 'SENDING'`,
    [leases.map(({ id }) => id), leases.map(({ leaseToken }) => leaseToken)],
  )
  return new Map(rows.map(({ id, refusal }) => [id, refusal]))
}
