import { inLockOrder } from '#lib/email-scheduler/lease.ts'
import { attemptOutcome } from '#lib/email-scheduler/outcome.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { moveAccepted } from './late-evidence.ts'
import type { Settlement } from './settlement.ts'

type Row = { place: number; status: ScheduledEmailStatus; leaseToken: number }

export type Recalled = {
  forgotten: Settlement
  /** To be settled in its place, where the email still waits or is in other hands; else where the email is now. */
  as: { kind: 'leased'; settlement: Settlement } | { kind: 'kept'; status: ScheduledEmailStatus }
}

/**
 * Attempts that the database has no memory of, by a worker that knows what became of them: a standby took over, and the
 * claim or the mark had not come that far. What may have been sent has to be known where the mark asks, so the attempt is
 * written down again under a token of its own, for the one that it had may be another worker's by now.
 *
 * Where the email still waits, or is in other hands, it has its lease and mark again and is to be settled like any other.
 * Of the rest (unknown, failed, cancelled, sent) only the attempt and an acceptance are kept.
 */
export async function recallForgotten(tx: Sql, late: readonly Settlement[]): Promise<Recalled[]> {
  // Of what was refused nothing went out, whether or not it is remembered.
  const candidates = inLockOrder(
    late.filter(({ outcome }) => outcome.kind === 'accepted' || outcome.kind === 'unknown'),
  )
  if (candidates.length === 0) return []
  const found = await lockForgotten(tx, candidates)
  const recalled: Recalled[] = []
  for (const { place, status, leaseToken } of found) {
    const forgotten = candidates[place]
    if (!forgotten) continue
    const settlement = { ...forgotten, leaseToken: leaseToken + 1 }
    if (status === 'SCHEDULED' || status === 'RETRY_SCHEDULED' || status === 'SENDING') {
      await leaseAgain(tx, settlement)
      recalled.push({ forgotten, as: { kind: 'leased', settlement } })
    } else recalled.push({ forgotten, as: { kind: 'kept', status: (await keepAttempt(tx, settlement)) ?? status } })
  }
  return recalled
}

/** Once for each email: two forgotten attempts of one are rarer than rare, and the second is recalled when it is repeated. */
async function lockForgotten(tx: Sql, candidates: readonly Settlement[]): Promise<Row[]> {
  const { rows } = await tx.query<Row & { id: string }>(
    `SELECT e.id, s.place::int AS place, e.status, e.lease_token AS "leaseToken"
     FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) WITH ORDINALITY AS s(id, worker, started_at, place)
     JOIN scheduled_emails e ON e.id = s.id
     WHERE NOT EXISTS (SELECT FROM email_attempts a
       WHERE a.email_id = e.id AND a.worker = s.worker AND a.started_at = s.started_at AND a.marked_at IS NOT NULL)
     ORDER BY e.id FOR UPDATE OF e`,
    [
      candidates.map(({ id }) => id),
      candidates.map(({ worker }) => worker),
      candidates.map(({ claimedAt }) => claimedAt),
    ],
  )
  const firsts = new Map(rows.toReversed().map((row) => [row.id, { ...row, place: row.place - 1 }]))
  return [...firsts.values()]
}

/** Who holds it now loses it: what they would hand over may be the second one. */
async function leaseAgain(tx: Sql, { id, leaseToken, worker, claimedAt }: Settlement): Promise<void> {
  await tx.query(
    `UPDATE scheduled_emails SET status = 'SENDING', lease_token = $2, leased_by = $3, leased_at = $4, lease_until = app_now(),
       blocker = NULL, updated_at = app_now()
     WHERE id = $1`,
    [id, leaseToken, worker, claimedAt],
  )
  await tx.query(
    'UPDATE scheduled_emails SET marked_token = lease_token, submit_started_at = leased_at WHERE id = $1',
    [id],
  )
}

/** Answers where it moved the email, if anywhere. */
async function keepAttempt(
  tx: Sql,
  { id, leaseToken, worker, claimedAt, outcome }: Settlement,
): Promise<'SENT' | undefined> {
  const accepted = outcome.kind === 'accepted' ? outcome : undefined
  await tx.query(
    `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome,
       provider_text, message_id, thread_id)
     SELECT id, $2, workspace_id, attempts + 1, $3, $4, $4, app_now(), $5, $6, $7, $8 FROM scheduled_emails WHERE id = $1`,
    [
      id,
      leaseToken,
      worker,
      claimedAt,
      attemptOutcome(outcome),
      outcome.providerText ?? null,
      accepted?.messageId ?? null,
      accepted?.threadId ?? null,
    ],
  )
  await tx.query(
    `UPDATE scheduled_emails SET lease_token = $2, updated_at = app_now(),
       marked_token = CASE WHEN accepted_token IS NULL THEN $2 ELSE marked_token END,
       submit_started_at = coalesce(submit_started_at, $3),
       accepted_token = coalesce(accepted_token, CASE WHEN $4 THEN $2::int END)
     WHERE id = $1`,
    [id, leaseToken, claimedAt, accepted !== undefined],
  )
  return accepted && (await moveAccepted(tx, [id])).length > 0 ? 'SENT' : undefined
}
