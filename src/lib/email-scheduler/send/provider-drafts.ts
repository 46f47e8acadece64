import { ASK_PAUSES_MINUTES, type UnknownAttempt } from '#lib/email-scheduler/evidence.ts'
import { isInFlight, type Lease } from '#lib/email-scheduler/lease.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'
import type { ClaimedEmail } from './claim.ts'
import type { SeenArguments } from './moment.ts'

export type ProviderDraft = Pick<ClaimedEmail, 'id' | 'leaseToken' | 'worker' | 'claimedAt'> & { draftId: string }

/**
 * Keeps what a provider has made of emails and not sent yet, before they are marked: whatever happens after the mark,
 * its id is known, and who deletes the draft has proved that the email was not sent and no longer can be. Answers those
 * that are still in our hands, and which draft ours has replaced: who had the email before, under the same token, marks
 * it no more. The drafts of the others are nobody's. Under the row's lock, as the mark is: who has lost the email must
 * not put its draft in the place of the one that is handed over.
 */
export async function keepDrafts(sql: Sql, drafts: readonly ProviderDraft[]): Promise<Map<string, string | null>> {
  const { rows } = await sql.query<{ id: string; replaced: string | null }>(
    `WITH held AS MATERIALIZED (
       SELECT e.id, e.lease_token, e.workspace_id, e.mailbox_id, e.lease_until, d.draft_id
       FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::timestamptz[]) AS d(id, lease_token, draft_id, worker, claimed_at)
       JOIN scheduled_emails e ON e.id = d.id AND e.lease_token = d.lease_token AND ${isInFlight('e')}
         AND e.leased_by = d.worker AND e.leased_at = d.claimed_at AND e.marked_token IS DISTINCT FROM e.lease_token
       ORDER BY e.id FOR NO KEY UPDATE OF e
     ), kept AS (
       INSERT INTO provider_drafts AS d (email_id, lease_token, workspace_id, mailbox_id, draft_id, made_at, look_at)
       SELECT id, lease_token, workspace_id, mailbox_id, draft_id, app_now(), lease_until FROM held
       ON CONFLICT (email_id, lease_token) DO UPDATE SET
         draft_id = excluded.draft_id, made_at = excluded.made_at, look_at = excluded.look_at, looks = 0
       RETURNING d.email_id, d.lease_token)
     SELECT k.email_id AS id, before.draft_id AS replaced
     FROM kept k LEFT JOIN provider_drafts before USING (email_id, lease_token)`,
    [
      drafts.map(({ id }) => id),
      drafts.map(({ leaseToken }) => leaseToken),
      drafts.map(({ draftId }) => draftId),
      drafts.map(({ worker }) => worker),
      drafts.map(({ claimedAt }) => claimedAt),
    ],
  )
  return new Map(rows.map(({ id, replaced }) => [id, replaced]))
}

export type LeftDraft = { id: string; leaseToken: number; mailboxId: string; mailboxKind: MailboxKind; draftId: string }

/** What is to be found out about a draft whose worker is gone, or to be cleared away. */
export type DraftLook =
  /** Its email was handed over, and no answer came. */
  | { kind: 'ask'; attempt: UnknownAttempt }
  /**
   * Nobody will send it: its lease ended before the mark, the provider refused it, or who made it had lost the email by
   * the time when another handed it over.
   */
  | { kind: 'remove'; draft: LeftDraft }

/** So that a mailbox with a thousand unknown emails neither storms its provider nor keeps the others waiting. */
const OF_A_MAILBOX_MAX = 4
const CLOSED_AT_ONCE = 1_000

/**
 * Takes drafts whose lease is over, those of mailboxes that work, a few of each. Each look is counted when it is taken,
 * and the next one comes after a longer pause: two ticks never take the same, and one that dies has had its look.
 */
export async function takeDraftLooks(
  sql: Sql,
  kinds: readonly MailboxKind[],
  limit: number,
  seen: SeenArguments,
): Promise<DraftLook[]> {
  const { rows } = await sql.query<Omit<UnknownAttempt, 'draftId'> & { draftId: string; isUnknown: boolean }>(
    `WITH due AS MATERIALIZED (
       SELECT d.email_id, d.lease_token, d.look_at, row_number() OVER (PARTITION BY m.id ORDER BY d.look_at) AS turn
       FROM mailboxes m CROSS JOIN LATERAL (
         SELECT d.email_id, d.lease_token, d.look_at FROM provider_drafts d JOIN scheduled_emails e ON e.id = d.email_id
         WHERE d.mailbox_id = m.id AND d.look_at <= app_now() AND NOT (e.status = 'SENDING' AND e.lease_token = d.lease_token)
         ORDER BY d.look_at LIMIT $3) d
       WHERE m.kind = ANY($1::mailbox_kind[]) AND m.status = 'CONNECTED' AND NOT (SELECT sending_is_held($5, $6, $7))
         AND greatest(m.deferred_until, m.fault_until, '-infinity') <= app_now()
     ), taken AS MATERIALIZED (
       SELECT d.email_id, d.lease_token FROM due JOIN provider_drafts d USING (email_id, lease_token)
       WHERE d.look_at <= app_now() ORDER BY due.turn, due.look_at LIMIT $2 FOR UPDATE OF d SKIP LOCKED
     ), looked AS (
       UPDATE provider_drafts d SET looks = d.looks + 1,
         look_at = app_now() + ($4::int[])[d.looks + 1] * interval '1 minute'
       FROM taken t WHERE d.email_id = t.email_id AND d.lease_token = t.lease_token
       RETURNING d.email_id, d.lease_token, d.mailbox_id, d.draft_id, d.made_at)
     SELECT d.email_id AS id, d.lease_token AS "leaseToken", a.worker, a.started_at AS "claimedAt", a.marked_at AS "markedAt",
       e.workspace_id AS "workspaceId", d.mailbox_id AS "mailboxId", m.kind AS "mailboxKind", e.message_id AS "messageId",
       d.draft_id AS "draftId", coalesce(a.outcome = 'UNKNOWN' AND a.evidence IS NULL AND d.made_at >= a.started_at, false) AS "isUnknown"
     FROM looked d JOIN scheduled_emails e ON e.id = d.email_id JOIN mailboxes m ON m.id = d.mailbox_id
     LEFT JOIN email_attempts a ON a.email_id = d.email_id AND a.lease_token = d.lease_token`,
    [kinds, limit, OF_A_MAILBOX_MAX, [...ASK_PAUSES_MINUTES], ...seen],
  )
  return rows.map(({ isUnknown, ...row }) =>
    isUnknown ? { kind: 'ask', attempt: row } : { kind: 'remove', draft: row },
  )
}

/** What became of these is known: they are looked after no more. */
export async function closeDrafts(sql: Sql, drafts: readonly Lease[]): Promise<void> {
  if (drafts.length === 0) return
  await sql.query(
    `UPDATE provider_drafts d SET look_at = NULL FROM unnest($1::uuid[], $2::int[]) AS known(id, lease_token)
     WHERE d.email_id = known.id AND d.lease_token = known.lease_token`,
    [drafts.map(({ id }) => id), drafts.map(({ leaseToken }) => leaseToken)],
  )
}

/** A draft that was sent is one no more. Closed here, set-wise, and not by each settlement. */
export async function closeSentDrafts(sql: Sql): Promise<void> {
  await sql.query(
    `WITH sent AS MATERIALIZED (
       SELECT d.email_id, d.lease_token FROM provider_drafts d JOIN email_attempts a USING (email_id, lease_token)
       WHERE d.look_at <= app_now() AND (a.outcome = 'ACCEPTED' OR a.evidence = 'ACCEPTED')
       LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
     UPDATE provider_drafts d SET look_at = NULL FROM sent
     WHERE d.email_id = sent.email_id AND d.lease_token = sent.lease_token`,
    [CLOSED_AT_ONCE],
  )
}
