import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { inLockOrder, isInFlight } from '#lib/email-scheduler/lease.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { unnested } from '#lib/platform/sql-array.ts'
import type { ClaimedEmail } from './claim.ts'
import { MOMENT_READ, type MomentRead } from './moment.ts'

export type MarkAnswer =
  | ({ id: string; answer: 'marked'; markedAt: Date; leaseUntil: Date } & MomentRead)
  | { id: string; answer: MarkRefusal }

/**
 * Why nothing may be handed over. `lost-lease`: it belongs to another worker now. `lease-too-short`: the submit could
 * outlive the lease. `already-marked`: this lease handed it over once (a broker may deliver twice). `already-accepted`:
 * an earlier attempt reached the provider after all; release it, and it becomes SENT.
 */
export type MarkRefusal = 'lost-lease' | 'lease-too-short' | 'already-marked' | 'already-accepted'

/** With what is handed over for the first time; a retry sends the copy that is frozen already. */
export type Handover = Holder & { content?: EmailContent | null }

/** A token may come twice where a standby took over and had not seen it: so who claimed it, and when, is named as well. */
type Holder = Pick<ClaimedEmail, 'id' | 'leaseToken' | 'worker' | 'claimedAt'>

/**
 * The last step before an email is handed over, committed on its own: from here on it may have been sent. One mark for
 * each lease: were a second allowed, two holders of the same token would both submit. That an attempt was accepted is
 * read from the row itself and not from its attempts: a mark that waited for the row's lock would still look at the
 * attempts as they were before the wait. What is handed over is frozen in the same commit.
 */
export async function mark(tx: Sql, leases: readonly Handover[], submitDeadlineMs: number): Promise<MarkAnswer[]> {
  const ordered = inLockOrder(leases)
  const contents = ordered.flatMap(({ id, content }) => (content ? [frozen(id, content)] : []))
  const { rows } = await tx.query<{ id: string; markedAt: Date; leaseUntil: Date } & MomentRead>(
    prepared(`WITH contents AS MATERIALIZED (
       SELECT * FROM json_to_recordset($5) AS c(id uuid, from_name text, from_address text, to_name text, to_address text,
         subject text, body_text text, body_html text, message_id text, date timestamptz, headers jsonb)
     ), marked AS (
     UPDATE scheduled_emails e SET marked_token = e.lease_token, submit_started_at = app_now(), updated_at = app_now(),
       content_token = CASE WHEN EXISTS (SELECT FROM contents c WHERE c.id = e.id) THEN e.lease_token ELSE e.content_token END
     FROM ${unnested('uuid', 'int', 'text', 'timestamptz')} AS held(id, lease_token, worker, claimed_at)
     WHERE e.id = held.id AND ${isInFlight('e')} AND e.lease_token = held.lease_token
       AND e.leased_by = held.worker AND e.leased_at = held.claimed_at
       AND e.marked_token IS DISTINCT FROM e.lease_token AND e.accepted_token IS NULL
       AND e.lease_until >= app_now() + $6 * interval '1 millisecond'
     RETURNING e.id, e.workspace_id, e.lease_token, e.submit_started_at AS "markedAt", e.lease_until AS "leaseUntil"
     ), frozen AS (
       INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject,
         body_text, body_html, message_id, date, headers)
       SELECT m.id, m.lease_token, m.workspace_id, c.from_name, c.from_address, c.to_name, c.to_address, c.subject,
         c.body_text, c.body_html, c.message_id, c.date, c.headers
       FROM marked m JOIN contents c USING (id))
     SELECT id, "markedAt", "leaseUntil", ${MOMENT_READ} FROM marked`),
    [
      ordered.map(({ id }) => id),
      ordered.map(({ leaseToken }) => leaseToken),
      ordered.map(({ worker }) => worker),
      ordered.map(({ claimedAt }) => claimedAt),
      JSON.stringify(contents),
      submitDeadlineMs,
    ],
  )
  const marked = new Map(rows.map((row) => [row.id, row]))
  const refused = leases.filter(({ id }) => !marked.has(id))
  const refusals = refused.length > 0 ? await readRefusals(tx, refused) : new Map<string, MarkRefusal>()
  return leases.map(({ id }) => {
    const row = marked.get(id)
    return row ? { ...row, answer: 'marked' } : { id, answer: refusals.get(id) ?? 'lost-lease' }
  })
}

function frozen(id: string, { from, to, text, html, messageId, ...content }: EmailContent) {
  return {
    id,
    from_name: from.name,
    from_address: from.address,
    to_name: to.name,
    to_address: to.address,
    body_text: text,
    body_html: html,
    message_id: messageId,
    ...content,
  }
}

async function readRefusals(tx: Sql, leases: readonly Holder[]): Promise<Map<string, MarkRefusal>> {
  const { rows } = await tx.query<{ id: string; refusal: MarkRefusal }>(
    `SELECT e.id, CASE
       WHEN e.marked_token = e.lease_token THEN 'already-marked'
       WHEN e.accepted_token IS NOT NULL THEN 'already-accepted'
       ELSE 'lease-too-short' END AS refusal
     FROM scheduled_emails e JOIN unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[]) AS held(id, lease_token, worker, claimed_at)
       ON e.id = held.id AND e.lease_token = held.lease_token AND e.leased_by = held.worker AND e.leased_at = held.claimed_at
     WHERE ${isInFlight('e')}`,
    [
      leases.map(({ id }) => id),
      leases.map(({ leaseToken }) => leaseToken),
      leases.map(({ worker }) => worker),
      leases.map(({ claimedAt }) => claimedAt),
    ],
  )
  return new Map(rows.map(({ id, refusal }) => [id, refusal]))
}
