import { lockSuppressionsOf, suppressBouncedProspects } from '#lib/audience/bounced.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { afterSent } from './after-sent.ts'
import { cancelWaiting } from './cancel-waiting.ts'
import type { ClaimedEmail } from './claim.ts'
import { eraseLateTraces } from './erase-traces.ts'
import { handleEmailFailure } from './handle-failure.ts'
import { moveAccepted, recordLateEvidence } from './late-evidence.ts'
import { inLockOrder } from './lease.ts'
import { attemptOutcome, isRefusal, type Refused, type SendOutcome } from './outcome.ts'
import { lockOwners } from './owners.ts'
import type { CancelReason } from './reasons.ts'
import { giveBackPlaces, heldPlace } from './reserve.ts'
import { nextRetryAt, retryDelaysMs } from './retry-policy.ts'
import { readRetrySettings } from './retry-settings.ts'
import type { ScheduledEmailStatus, Transition } from './states.ts'
import { cancelSuccessors } from './successors.ts'

/**
 * `marked`: whether the settler itself set the mark. A connection may fail before it, which proves that nothing was
 * sent; but a second holder of the same token that never marked must not settle what the first one is submitting.
 */
export type Settlement = Pick<ClaimedEmail, 'id' | 'leaseToken' | 'worker' | 'claimedAt'> &
  ({ marked: true; outcome: SendOutcome } | { marked: false; outcome: Refused }) & {
    /** What each guard answered at the mark. */
    receipt?: Record<string, unknown>
  }

/**
 * `late`: the lease was lost, and what the provider said counts as evidence. `already-settled`: this attempt's end is
 * known; settling is repeated until it commits. `lost-lease`: there is nothing to settle.
 */
export type SettleAnswer = {
  id: string
  leaseToken: number
  answer: 'settled' | 'late' | 'already-settled' | 'lost-lease'
  status?: ScheduledEmailStatus
}

type SettledRow = {
  id: string
  lease_token: number
  workspace_id: string
  mailbox_id: string
  prospect_id: string | null
  reserved_date: string | null
  kind: EmailKind
  status: ScheduledEmailStatus
  attempts: number
  accepted_token: number | null
  at: Date
}

/**
 * Writes down what became of attempts, hundreds in one statement where all went well. Belongs in a transaction: a
 * failure passes through FAILED and gets its verdict here, and Postgres refuses to commit one without. May come after
 * the lease ran out, and may come twice.
 */
export async function settle(tx: Sql, settlements: readonly Settlement[]): Promise<SettleAnswer[]> {
  const refused = settlements.filter(({ outcome }) => isRefusal(outcome))
  const bounced = refused.filter(({ outcome }) => handleEmailFailure(outcome).suppressRecipient).map(({ id }) => id)
  if (bounced.length > 0) await lockSuppressionsOf(tx, bounced)
  const unwanted = await lockOwners(
    tx,
    refused.map(({ id }) => id),
    bounced.length > 0 ? 'exclusive' : 'shared',
  )
  const rows = await endAttempts(tx, inLockOrder(settlements))
  const held = new Map(rows.map((row) => [row.id, row]))
  const statuses = new Map(rows.map((row) => [row.id, row.status]))

  const failed = refused.flatMap(({ id, leaseToken, outcome }) => {
    const row = held.get(id)
    return row?.status === 'FAILED' && row.lease_token === leaseToken ? [{ row, outcome }] : []
  })
  for (const [id, status] of await decide(tx, failed, unwanted)) statuses.set(id, status)
  await afterSent(
    tx,
    rows.filter(({ status }) => status === 'SENT').map(({ id }) => id),
  )
  await suppressBounced(
    tx,
    failed.filter(({ outcome }) => handleEmailFailure(outcome).suppressRecipient).map(({ row }) => row),
  )

  const knownAccepted = rows.filter(({ status, accepted_token }) => accepted_token !== null && status !== 'SENT')
  for (const id of await moveAccepted(
    tx,
    knownAccepted.map(({ id }) => id),
  ))
    statuses.set(id, 'SENT')

  await giveBackPlaces(
    tx,
    failed.map(({ row }) => heldPlace(row)),
  )

  const late = settlements.filter(({ id, leaseToken }) => held.get(id)?.lease_token !== leaseToken)
  const lateAnswers = new Map(
    (await recordLateEvidence(tx, inLockOrder(late), unwanted)).map((answer) => [
      `${answer.id}:${answer.leaseToken}`,
      answer,
    ]),
  )
  // What a provider says of an email that it took names nobody; of one that it refused, the recipient as a rule.
  await eraseLateTraces(
    tx,
    settlements.filter(({ outcome }) => outcome.kind !== 'accepted').map(({ id }) => id),
  )
  return settlements.map(({ id, leaseToken }): SettleAnswer => {
    const lateAnswer = lateAnswers.get(`${id}:${leaseToken}`)
    return lateAnswer ?? { id, leaseToken, answer: 'settled', status: statuses.get(id) }
  })
}

/** Ends the lease and writes the attempt, in one statement. */
async function endAttempts(tx: Sql, settlements: readonly Settlement[]): Promise<SettledRow[]> {
  const failures = settlements.map(({ outcome }) => (outcome.kind === 'accepted' ? undefined : outcome))
  const accepted = settlements.map(({ outcome }) => (outcome.kind === 'accepted' ? outcome : undefined))
  const { rows } = await tx.query<SettledRow>(
    prepared(`WITH now AS MATERIALIZED (SELECT app_now() AS at), settled AS (
       UPDATE scheduled_emails e SET
         status = CASE s.outcome WHEN 'ACCEPTED' THEN 'SENT' WHEN 'UNKNOWN' THEN 'OUTCOME_UNKNOWN' ELSE 'FAILED'
           END::scheduled_email_status,
         attempts = e.attempts + s.counts::int,
         sent_at = CASE WHEN s.outcome = 'ACCEPTED' THEN now.at END,
         accepted_token = CASE WHEN s.outcome = 'ACCEPTED' THEN coalesce(e.accepted_token, e.lease_token)
           ELSE e.accepted_token END,
         message_id = coalesce(s.message_id, e.message_id), thread_id = coalesce(s.thread_id, e.thread_id),
         last_error = s.reason, last_error_code = s.code,
         next_retry_at = NULL, ready_at = NULL, status_reason = NULL,
         lease_until = NULL, leased_by = NULL, leased_at = NULL, updated_at = now.at
       FROM now, unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::bool[], $6::attempt_outcome[],
         $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bool[], $14::jsonb[])
         AS s(id, lease_token, worker, started_at, marked, outcome, scope, code, reason, provider_text, message_id,
           thread_id, counts, receipt)
       WHERE e.id = s.id AND e.status = 'SENDING' AND e.lease_token = s.lease_token
         AND (e.marked_token IS NOT DISTINCT FROM e.lease_token) = s.marked
       RETURNING e.id, e.lease_token, e.workspace_id, e.mailbox_id, e.prospect_id, e.reserved_date, e.kind, e.status, e.attempts,
         e.attempts + (NOT s.counts)::int AS number, e.accepted_token,
         CASE WHEN s.marked THEN e.submit_started_at END AS marked_at, s.worker, s.started_at, s.outcome, s.scope, s.code,
         s.provider_text, s.message_id, s.thread_id, s.receipt, now.at
     ), kept AS (
       INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at,
         outcome, error_class, error_code, provider_text, message_id, thread_id, receipt)
       SELECT id, lease_token, workspace_id, number, worker, started_at, marked_at, at,
         outcome, scope, code, provider_text, message_id, thread_id, receipt FROM settled
     )
     SELECT id, lease_token, workspace_id, mailbox_id, prospect_id, reserved_date, kind, status, attempts, accepted_token, at FROM settled`),
    [
      settlements.map(({ id }) => id),
      settlements.map(({ leaseToken }) => leaseToken),
      settlements.map(({ worker }) => worker),
      settlements.map(({ claimedAt }) => claimedAt),
      settlements.map(({ marked }) => marked),
      settlements.map(({ outcome }) => attemptOutcome(outcome)),
      failures.map((failure) => (failure && 'scope' in failure ? failure.scope : null)),
      failures.map((failure) => failure?.code ?? null),
      failures.map((failure) => failure?.reason ?? null),
      settlements.map(({ outcome }) => outcome.providerText ?? null),
      accepted.map((outcome) => outcome?.messageId ?? null),
      accepted.map((outcome) => outcome?.threadId ?? null),
      settlements.map(({ outcome }) => handleEmailFailure(outcome).countsAttempt),
      settlements.map(({ receipt }) => (receipt ? JSON.stringify(receipt) : null)),
    ],
  )
  return rows
}

/** From the commit on, nothing more goes to an address that does not exist: no email of any campaign. */
async function suppressBounced(tx: Sql, rows: readonly SettledRow[]): Promise<void> {
  for (const [workspaceId, bounced] of Map.groupBy(rows, (row) => row.workspace_id)) {
    const prospectIds = bounced.flatMap(({ prospect_id: id }) => (id === null ? [] : [id]))
    await suppressBouncedProspects(tx, workspaceId, prospectIds)
    for (const prospectId of prospectIds) await cancelWaiting(tx, workspaceId, { prospectId }, 'PROSPECT_BOUNCED')
  }
}

type Verdict = Extract<Transition, readonly ['FAILED', ScheduledEmailStatus]>[1]

/** What the mailbox is to blame for costs the email no attempt: it goes on as soon as the mailbox may. */
function retryTime(delaysMs: readonly number[], row: SettledRow, outcome: Extract<SendOutcome, { kind: 'retry' }>) {
  if (!handleEmailFailure(outcome).countsAttempt) return row.at
  return nextRetryAt(delaysMs, row.attempts, row.at, outcome.notBefore)
}

/** FAILED → its verdict. An email that an earlier attempt got through goes on to RETRY_SCHEDULED, and from there to SENT. */
async function decide(
  tx: Sql,
  failed: readonly { row: SettledRow; outcome: SendOutcome }[],
  unwanted: ReadonlyMap<string, CancelReason>,
): Promise<Map<string, ScheduledEmailStatus>> {
  if (failed.length === 0) return new Map()
  const settings = await readRetrySettings(
    tx,
    failed.map(({ row }) => row.workspace_id),
  )
  const verdicts = failed.map(({ row, outcome }) => {
    const cancelReason = unwanted.get(row.id)
    const delaysMs = retryDelaysMs(row.kind, settings.get(row.workspace_id))
    const retryAt = outcome.kind === 'retry' ? retryTime(delaysMs, row, outcome) : undefined
    const verdict: Verdict =
      row.accepted_token !== null
        ? 'RETRY_SCHEDULED'
        : cancelReason
          ? 'CANCELLED'
          : retryAt
            ? 'RETRY_SCHEDULED'
            : 'PERMANENTLY_FAILED'
    return { id: row.id, token: row.lease_token, verdict, retryAt: retryAt ?? row.at, cancelReason, at: row.at }
  })
  await tx.query(
    `UPDATE scheduled_emails e SET
       status = v.verdict,
       next_retry_at = CASE WHEN v.verdict = 'RETRY_SCHEDULED' THEN v.retry_at END,
       ready_at = CASE WHEN v.verdict = 'RETRY_SCHEDULED' THEN v.retry_at END,
       cancelled_at = CASE WHEN v.verdict = 'CANCELLED' THEN v.at END,
       cancel_reason = CASE WHEN v.verdict = 'CANCELLED' THEN v.cancel_reason END
     FROM unnest($1::uuid[], $2::int[], $3::scheduled_email_status[], $4::timestamptz[], $5::text[], $6::timestamptz[])
       AS v(id, lease_token, verdict, retry_at, cancel_reason, at)
     WHERE e.id = v.id AND e.status = 'FAILED' AND e.lease_token = v.lease_token`,
    [
      verdicts.map(({ id }) => id),
      verdicts.map(({ token }) => token),
      verdicts.map(({ verdict }) => verdict),
      verdicts.map(({ retryAt }) => retryAt),
      verdicts.map(({ cancelReason }) => cancelReason ?? null),
      verdicts.map(({ at }) => at),
    ],
  )
  const reached = (status: Verdict) => verdicts.filter(({ verdict }) => verdict === status).map(({ id }) => id)
  await cancelSuccessors(tx, reached('PERMANENTLY_FAILED'), 'PREDECESSOR_FAILED')
  await cancelSuccessors(tx, reached('CANCELLED'), 'PREDECESSOR_CANCELLED')
  return new Map(verdicts.map(({ id, verdict }) => [id, verdict]))
}
