import type { HasherIn } from '#lib/audience/address-hash.ts'
import {
  type Bounced,
  findPeopleAt,
  lockSuppressionsOf,
  suppressAddressesOfNobody,
  suppressBouncedAddresses,
} from '#lib/audience/suppression/bounced.ts'
import { afterSent } from '#lib/email-scheduler/effects/after-sent.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { eraseLateTraces } from '#lib/email-scheduler/effects/erase-traces.ts'
import { lockOwners } from '#lib/email-scheduler/effects/owners.ts'
import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import { tellOfBounces, tellOfFailures } from '#lib/email-scheduler/effects/tell-of-failures.ts'
import { inLockOrder, isInFlight } from '#lib/email-scheduler/lease.ts'
import { attemptOutcome, isRefusal, type SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import { nextRetryAt, retryDelaysMs } from '#lib/email-scheduler/retry-policy.ts'
import { readRetrySettings } from '#lib/email-scheduler/retry-settings.ts'
import type { ScheduledEmailStatus, Transition } from '#lib/email-scheduler/states.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { amongIds, plainArray, unnested } from '#lib/platform/sql-array.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'
import { recallForgotten } from './forgotten.ts'
import { type FailureHandling, handleEmailFailure } from './handle-failure.ts'
import { moveAccepted, recordLateEvidence } from './late-evidence.ts'
import { tendMailboxes } from './mailbox-faults.ts'
import { reservationOf, returnReservations } from './reservation.ts'
import type { SettleAnswer, Settlement } from './settlement.ts'

type SettledRow = {
  id: string
  leaseToken: number
  workspaceId: string
  mailboxId: string
  prospectId: string | null
  reservedDate: string | null
  kind: EmailKind
  status: ScheduledEmailStatus
  attempts: number
  acceptedToken: number | null
  at: Date
}

/**
 * Writes down what became of attempts, hundreds in one statement where all went well. Belongs in a transaction: a
 * failure passes through FAILED and gets its verdict here, and Postgres refuses to commit one without. May come after
 * the lease ran out, and may come twice. `hasherIn` is for an address that does not exist and is nobody's here; evidence,
 * which comes without, says that of no address.
 */
export async function settle(tx: Sql, given: readonly Settlement[], hasherIn?: HasherIn): Promise<SettleAnswer[]> {
  const settlements = given.map(concluded)
  const refused = settlements.filter(({ outcome }) => isRefusal(outcome))
  const bounced = refused.filter(({ follows }) => follows.suppressRecipient).map(({ id }) => id)
  if (bounced.length > 0) await lockSuppressionsOf(tx, bounced)
  const spaced = settlements.filter(({ marked, kind }) => marked && kind !== 'TRANSACTIONAL').map(({ id }) => id)
  await Promise.all([beginPauses(tx, spaced), tendMailboxes(tx, settlements)])
  const unwanted = await lockOwners(
    tx,
    refused.map(({ id }) => id),
    bounced.length > 0 ? 'exclusive' : 'shared',
  )
  const rows = await endAttempts(tx, inLockOrder(settlements))
  const ended = new Set(rows.map((row) => keyOf(row.id, row.leaseToken)))
  const late = settlements.filter(({ id, leaseToken }) => !ended.has(keyOf(id, leaseToken)))
  const recalled = await recallForgotten(
    tx,
    late.filter(({ marked }) => marked),
  )
  const leasedAgain = recalled.flatMap(({ as }) => (as.kind === 'leased' ? [as.settlement] : []))
  if (leasedAgain.length > 0) rows.push(...(await endAttempts(tx, leasedAgain.map(concluded))))
  const held = new Map(rows.map((row) => [row.id, row]))
  const statuses = new Map(rows.map((row) => [row.id, row.status]))

  const failed = refused.flatMap(({ id, leaseToken, outcome, follows }) => {
    const row = held.get(id)
    return row?.status === 'FAILED' && row.leaseToken === leaseToken ? [{ row, outcome, follows }] : []
  })
  for (const [id, status] of await decide(tx, failed, unwanted)) statuses.set(id, status)
  await afterSent(
    tx,
    rows.filter(({ status, kind }) => status === 'SENT' && kind === 'CAMPAIGN').map(({ id }) => id),
  )
  await suppressBounced(
    tx,
    failed.filter(({ follows }) => follows.suppressRecipient).map(({ row }) => row),
    hasherIn,
  )

  const knownAccepted = rows.filter(({ status, acceptedToken }) => acceptedToken !== null && status !== 'SENT')
  for (const id of await moveAccepted(
    tx,
    knownAccepted.map(({ id }) => id),
  ))
    statuses.set(id, 'SENT')

  await returnReservations(
    tx,
    failed.map(({ row }) => reservationOf(row)),
  )

  const isRecalled = new Set(recalled.map(({ forgotten }) => forgotten))
  const evidence = inLockOrder(late.filter((one) => !isRecalled.has(one)))
  const lateAnswers = new Map(
    (await recordLateEvidence(tx, evidence, unwanted)).map((answer) => [keyOf(answer.id, answer.leaseToken), answer]),
  )
  for (const { forgotten, as } of recalled) {
    const { id, leaseToken } = forgotten
    const status = as.kind === 'kept' ? as.status : statuses.get(id)
    lateAnswers.set(keyOf(id, leaseToken), { id, leaseToken, answer: 'late', status })
  }
  // What a provider says of an email that it took names nobody; of one that it refused, the recipient as a rule.
  await eraseLateTraces(
    tx,
    settlements.filter(({ outcome }) => outcome.kind !== 'accepted').map(({ id }) => id),
  )
  return settlements.map(({ id, leaseToken }): SettleAnswer => {
    const lateAnswer = lateAnswers.get(keyOf(id, leaseToken))
    return lateAnswer ?? { id, leaseToken, answer: 'settled', status: statuses.get(id) }
  })
}

/**
 * The pause after an email counts from its hand-over, and it is handed over when the provider has answered: a server
 * that takes a minute for its answer would otherwise get the next one at once. Before any other lock but the settings'.
 */
async function beginPauses(tx: Sql, emailIds: readonly string[]): Promise<void> {
  if (emailIds.length === 0) return
  await tx.query(
    prepared(`WITH spaced AS MATERIALIZED (
       SELECT m.id, s.jitter_min_seconds FROM mailboxes m JOIN sending_settings s ON s.workspace_id = m.workspace_id
       WHERE s.jitter_max_seconds > 0 AND m.id IN (
         SELECT e.mailbox_id FROM scheduled_emails e WHERE e.id = ${amongIds('$1', emailIds)} AND ${isInFlight('e')} AND e.kind = 'CAMPAIGN')
       ORDER BY m.id FOR NO KEY UPDATE OF m)
     UPDATE mailboxes m SET last_handed_over_at = app_now(), next_allowed_at = app_now() + spaced.jitter_min_seconds * interval '1 second'
     FROM spaced WHERE m.id = spaced.id`),
    [plainArray(emailIds)],
  )
}

/** What follows is asked once for each outcome, and carried out here: for the email, its recipient and its mailbox. */
type Concluded = Settlement & { follows: FailureHandling }

const concluded = (settlement: Settlement): Concluded => ({
  ...settlement,
  follows: handleEmailFailure(settlement.outcome),
})

const keyOf = (id: string, leaseToken: number) => `${id}:${leaseToken}`

/** Ends the lease and writes the attempt, in one statement. */
async function endAttempts(tx: Sql, settlements: readonly Concluded[]): Promise<SettledRow[]> {
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
       FROM now, ${unnested('uuid', 'int', 'text', 'timestamptz', 'bool', 'attempt_outcome', 'text', 'text', 'text', 'text', 'text', 'text', 'bool', 'jsonb')}
         AS s(id, lease_token, worker, started_at, marked, outcome, scope, code, reason, provider_text, message_id,
           thread_id, counts, receipt)
       WHERE e.id = s.id AND ${isInFlight('e')} AND e.lease_token = s.lease_token
         AND e.leased_by = s.worker AND e.leased_at = s.started_at
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
     SELECT id, lease_token AS "leaseToken", workspace_id AS "workspaceId", mailbox_id AS "mailboxId", prospect_id AS "prospectId",
       reserved_date AS "reservedDate", kind, status, attempts, accepted_token AS "acceptedToken", at FROM settled`),
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
      settlements.map(({ follows }) => follows.countsAttempt),
      settlements.map(({ receipt }) => (receipt ? JSON.stringify(receipt) : null)),
    ],
  )
  return rows
}

/** From the commit on, nothing more goes to an address that does not exist: no email of any campaign, and none that is in none. */
async function suppressBounced(tx: Sql, rows: readonly SettledRow[], hasherIn: HasherIn | undefined): Promise<void> {
  for (const [workspaceId, bounced] of Map.groupBy(rows, (row) => row.workspaceId)) {
    // Whom a server once denied must still be able to come in, and to get a new password.
    if (workspaceId === SYSTEM_WORKSPACE_ID) continue
    const addressed = await readAddressedTo(tx, bounced)
    const ofNobody = addressed.flatMap(({ prospectId, address }) => (prospectId === null && address ? [address] : []))
    const people = addressed.filter((one): one is BouncedBy => one.prospectId !== null)
    if (ofNobody.length > 0) {
      const emailAt = new Map(addressed.map(({ address, emailId }) => [address, emailId]))
      for (const person of await findPeopleAt(tx, workspaceId, ofNobody))
        people.push({ ...person, emailId: emailAt.get(person.address) ?? '' })
      const others = ofNobody.filter((address) => people.every((person) => person.address !== address))
      if (hasherIn && others.length > 0)
        await suppressAddressesOfNobody(tx, workspaceId, await hasherIn(tx, workspaceId), others)
    }
    const gone = new Set(await suppressBouncedAddresses(tx, workspaceId, people))
    for (const prospectId of gone) await cancelWaiting(tx, workspaceId, { prospectId }, 'PROSPECT_BOUNCED')
    await tellOfBounces(
      tx,
      people.filter(({ prospectId }) => gone.has(prospectId)),
    )
  }
}

type AddressedTo = { emailId: string; prospectId: string | null; address: string | null }

type BouncedBy = Bounced & { emailId: string }

/** Where these emails really went: their prospects may have got another address since. */
async function readAddressedTo(tx: Sql, rows: readonly SettledRow[]): Promise<AddressedTo[]> {
  const { rows: found } = await tx.query<AddressedTo>(
    `SELECT e.id AS "emailId", e.prospect_id AS "prospectId", nullif(c.to_address, '') AS address FROM scheduled_emails e
     LEFT JOIN email_contents c ON c.email_id = e.id AND c.content_token = e.content_token
     WHERE e.id = ANY($1::uuid[]) ORDER BY e.prospect_id`,
    [rows.map(({ id }) => id)],
  )
  return found
}

type Failed = { row: SettledRow; outcome: SendOutcome; follows: FailureHandling }

type Verdict = Extract<Transition, readonly ['FAILED', ScheduledEmailStatus]>[1]

/** What the mailbox is to blame for costs the email no attempt: it goes on as soon as the mailbox may. */
function retryTime(delaysMs: readonly number[], { row, outcome, follows }: Failed): Date | undefined {
  if (outcome.kind !== 'retry') return undefined
  if (!follows.countsAttempt) return row.at
  return nextRetryAt(delaysMs, row.attempts, row.at, outcome.notBefore)
}

/** FAILED → its verdict. An email that an earlier attempt got through goes on to RETRY_SCHEDULED, and from there to SENT. */
async function decide(
  tx: Sql,
  failed: readonly Failed[],
  unwanted: ReadonlyMap<string, CancelReason>,
): Promise<Map<string, ScheduledEmailStatus>> {
  if (failed.length === 0) return new Map()
  const settings = await readRetrySettings(
    tx,
    failed.map(({ row }) => row.workspaceId),
  )
  const verdicts = failed.map((one) => {
    const { row } = one
    const cancelReason = unwanted.get(row.id)
    const delaysMs = retryDelaysMs(row.kind, settings.get(row.workspaceId))
    const retryAt = retryTime(delaysMs, one)
    const verdict: Verdict =
      row.acceptedToken !== null
        ? 'RETRY_SCHEDULED'
        : cancelReason
          ? 'CANCELLED'
          : retryAt
            ? 'RETRY_SCHEDULED'
            : 'PERMANENTLY_FAILED'
    return { id: row.id, token: row.leaseToken, verdict, retryAt: retryAt ?? row.at, cancelReason, at: row.at }
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
  await tellOfFailures(tx, reached('PERMANENTLY_FAILED'))
  return new Map(verdicts.map(({ id, verdict }) => [id, verdict]))
}
