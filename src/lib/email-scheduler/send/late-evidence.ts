import { afterSent } from '#lib/email-scheduler/effects/after-sent.ts'
import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import { attemptOutcome, isRefusal } from '#lib/email-scheduler/outcome.ts'
import type { CancelReason, MoveReason } from '#lib/email-scheduler/reasons.ts'
import { retryAtAfterProof, retryDelaysMs } from '#lib/email-scheduler/retry-policy.ts'
import { readRetrySettings } from '#lib/email-scheduler/retry-settings.ts'
import { type ScheduledEmailStatus, SENT_BY_EVIDENCE } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { reservationOf, returnReservations } from './reservation.ts'
import type { SettleAnswer, Settlement } from './settlement.ts'

/**
 * What a provider said about an attempt whose lease is gone: kept with the attempt, and it moves the email where the
 * table of transitions says so. A refusal proves unsent, and fences: it comes from the only one who could have sent
 * under that token, or from a check that made sure it no longer can.
 */
export async function recordLateEvidence(
  tx: Sql,
  late: readonly Settlement[],
  unwanted: ReadonlyMap<string, CancelReason>,
): Promise<SettleAnswer[]> {
  if (late.length === 0) return []
  const learned = await keepWithAttempts(tx, late)
  const isNews = ({ id, leaseToken }: Settlement) => learned.has(keyOf(id, leaseToken))
  const news = late.filter(isNews)
  await acceptLate(
    tx,
    news.filter(({ outcome }) => outcome.kind === 'accepted'),
  )
  await requeueProvenUnsent(
    tx,
    news.filter(({ outcome }) => isRefusal(outcome)),
    unwanted,
  )
  const ended = await readEnded(tx, late)
  return late.map((settlement): SettleAnswer => {
    const { id, leaseToken } = settlement
    const status = ended.get(keyOf(id, leaseToken))
    if (status === undefined) return { id, leaseToken, answer: 'lost-lease' }
    return { id, leaseToken, answer: isNews(settlement) ? 'late' : 'already-settled', status }
  })
}

/** An email that a provider is known to have accepted is SENT, from wherever the table lets it. Answers what moved. */
export async function moveAccepted(tx: Sql, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE scheduled_emails e SET
       status = 'SENT', sent_at = a.marked_at, message_id = coalesce(a.message_id, e.message_id, ${FROZEN_MESSAGE_ID}),
       thread_id = coalesce(a.thread_id, e.thread_id), status_reason = '${'ACCEPTED_AFTER_ALL' satisfies MoveReason}',
       last_error = NULL, last_error_code = NULL, next_retry_at = NULL, ready_at = NULL, blocker = NULL,
       cancelled_at = NULL, cancel_reason = NULL, dismissed_at = NULL, updated_at = app_now()
     FROM email_attempts a
     WHERE e.id = ANY($1::uuid[]) AND e.status = ANY($2::scheduled_email_status[])
       AND a.email_id = e.id AND a.lease_token = e.accepted_token
     RETURNING e.id`,
    [ids, SENT_BY_EVIDENCE],
  )
  const moved = rows.map(({ id }) => id)
  await afterSent(tx, moved)
  return moved
}

/** The Message-ID under which the copy `content_token` of an email `e` went out: a follow-up answers it. */
export const FROZEN_MESSAGE_ID = `(SELECT c.message_id FROM email_contents c WHERE c.email_id = e.id AND c.content_token = e.content_token)`

const keyOf = (id: string, leaseToken: number) => `${id}:${leaseToken}`

/** A token may have been given twice where a standby took over: an answer is kept with the attempt of the worker that got it. */
async function keepWithAttempts(tx: Sql, late: readonly Settlement[]): Promise<Set<string>> {
  const accepted = late.map(({ outcome }) => (outcome.kind === 'accepted' ? outcome : undefined))
  const { rows } = await tx.query<{ emailId: string; leaseToken: number }>(
    `UPDATE email_attempts a SET evidence = s.outcome, evidence_at = app_now(), evidence_text = s.text,
       message_id = s.message_id, thread_id = s.thread_id
     FROM unnest($1::uuid[], $2::int[], $3::attempt_outcome[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
       AS s(id, lease_token, outcome, text, message_id, thread_id, worker, started_at)
     WHERE a.email_id = s.id AND a.lease_token = s.lease_token AND a.worker = s.worker AND a.started_at = s.started_at
       AND a.outcome = 'UNKNOWN' AND a.evidence IS NULL AND s.outcome <> 'UNKNOWN'
     RETURNING a.email_id AS "emailId", a.lease_token AS "leaseToken"`,
    [
      late.map(({ id }) => id),
      late.map(({ leaseToken }) => leaseToken),
      late.map(({ outcome }) => attemptOutcome(outcome)),
      late.map(({ outcome }) => outcome.providerText ?? null),
      accepted.map((outcome) => outcome?.messageId ?? null),
      accepted.map((outcome) => outcome?.threadId ?? null),
      late.map(({ worker }) => worker),
      late.map(({ claimedAt }) => claimedAt),
    ],
  )
  return new Set(rows.map((row) => keyOf(row.emailId, row.leaseToken)))
}

/** From any state on, no further mark; and to SENT where it waits, is unknown or was dismissed. */
async function acceptLate(tx: Sql, accepted: readonly Settlement[]): Promise<void> {
  if (accepted.length === 0) return
  const ids = accepted.map(({ id }) => id)
  const outcomes = accepted.map(({ outcome }) => (outcome.kind === 'accepted' ? outcome : undefined))
  // Also where a person took it as delivered: a follow-up needs the thread that it went out in.
  await tx.query(
    `UPDATE scheduled_emails e SET accepted_token = s.lease_token, updated_at = app_now(),
       message_id = coalesce(s.message_id, e.message_id), thread_id = coalesce(s.thread_id, e.thread_id)
     FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[]) AS s(id, lease_token, message_id, thread_id)
     WHERE e.id = s.id AND e.accepted_token IS NULL`,
    [
      ids,
      accepted.map(({ leaseToken }) => leaseToken),
      outcomes.map((outcome) => outcome?.messageId ?? null),
      outcomes.map((outcome) => outcome?.threadId ?? null),
    ],
  )
  await moveAccepted(tx, ids)
}

type UnknownRow = {
  id: string
  leaseToken: number
  workspaceId: string
  mailboxId: string
  reservedDate: string | null
  kind: EmailKind
  attempts: number
  at: Date
}

/** Only while the row is unknown under that very token: a later attempt has an outcome of its own. */
async function requeueProvenUnsent(
  tx: Sql,
  refused: readonly Settlement[],
  unwanted: ReadonlyMap<string, CancelReason>,
): Promise<void> {
  if (refused.length === 0) return
  const { rows } = await tx.query<UnknownRow>(
    `SELECT e.id, e.lease_token AS "leaseToken", e.workspace_id AS "workspaceId", e.mailbox_id AS "mailboxId",
       e.reserved_date AS "reservedDate", e.kind, e.attempts, app_now() AS at
     FROM scheduled_emails e JOIN unnest($1::uuid[], $2::int[]) AS s(id, lease_token)
       ON e.id = s.id AND e.lease_token = s.lease_token
     WHERE e.status = 'OUTCOME_UNKNOWN' ORDER BY e.id FOR UPDATE OF e`,
    [refused.map(({ id }) => id), refused.map(({ leaseToken }) => leaseToken)],
  )
  const settings = await readRetrySettings(
    tx,
    rows.map((row) => row.workspaceId),
  )
  const outcomes = new Map(refused.map(({ id, leaseToken, outcome }) => [keyOf(id, leaseToken), outcome]))
  const moves = rows.flatMap((row) => {
    const outcome = outcomes.get(keyOf(row.id, row.leaseToken))
    if (!outcome || !isRefusal(outcome)) return []
    const delaysMs = retryDelaysMs(row.kind, settings.get(row.workspaceId))
    const notBefore = outcome.kind === 'retry' ? outcome.notBefore : undefined
    return [{ row, outcome, retryAt: retryAtAfterProof(delaysMs, row.attempts, row.at, notBefore) }]
  })
  if (moves.length === 0) return
  await tx.query(
    `UPDATE scheduled_emails e SET
       status = CASE WHEN s.cancel_reason IS NULL THEN 'RETRY_SCHEDULED' ELSE 'CANCELLED' END::scheduled_email_status,
       next_retry_at = CASE WHEN s.cancel_reason IS NULL THEN s.retry_at END,
       ready_at = CASE WHEN s.cancel_reason IS NULL THEN s.retry_at END,
       cancelled_at = CASE WHEN s.cancel_reason IS NOT NULL THEN s.at END, cancel_reason = s.cancel_reason,
       last_error = s.reason, last_error_code = s.code, status_reason = '${'PROVEN_UNSENT' satisfies MoveReason}', updated_at = s.at
     FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       AS s(id, lease_token, retry_at, cancel_reason, reason, code, at)
     WHERE e.id = s.id AND e.status = 'OUTCOME_UNKNOWN' AND e.lease_token = s.lease_token`,
    [
      moves.map(({ row }) => row.id),
      moves.map(({ row }) => row.leaseToken),
      moves.map(({ retryAt }) => retryAt),
      moves.map(({ row }) => unwanted.get(row.id) ?? null),
      moves.map(({ outcome }) => outcome.reason),
      moves.map(({ outcome }) => outcome.code),
      moves.map(({ row }) => row.at),
    ],
  )
  await cancelSuccessors(
    tx,
    moves.map(({ row }) => row.id).filter((id) => unwanted.has(id)),
    'PREDECESSOR_CANCELLED',
  )
  await returnReservations(
    tx,
    moves.map(({ row }) => reservationOf(row)),
  )
}

/** Which of these attempts have ended, and where their email is now. */
async function readEnded(tx: Sql, late: readonly Settlement[]): Promise<Map<string, ScheduledEmailStatus>> {
  const { rows } = await tx.query<{ id: string; leaseToken: number; status: ScheduledEmailStatus }>(
    `SELECT e.id, s.lease_token AS "leaseToken", e.status
     FROM unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[]) AS s(id, lease_token, worker, started_at)
     JOIN email_attempts a ON a.email_id = s.id AND a.worker = s.worker AND a.started_at = s.started_at
     JOIN scheduled_emails e ON e.id = s.id`,
    [
      late.map(({ id }) => id),
      late.map(({ leaseToken }) => leaseToken),
      late.map(({ worker }) => worker),
      late.map(({ claimedAt }) => claimedAt),
    ],
  )
  return new Map(rows.map((row) => [keyOf(row.id, row.leaseToken), row.status]))
}
