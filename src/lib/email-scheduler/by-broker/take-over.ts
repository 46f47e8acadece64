import { isInFlight } from '#lib/email-scheduler/lease.ts'
import type { ClaimedEmail, ClaimedMailbox, Claimer } from '#lib/email-scheduler/send/claim.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { BROKER, type Left, lookAtLeftOf, type Wanted } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

export type TakenOver = { email: ClaimedEmail; mailbox: ClaimedMailbox }

type Row = ClaimedEmail & Pick<ClaimedMailbox, 'address' | 'version'> & { mailboxKind: ClaimedMailbox['kind'] }

/** Of an email `r` whose token is the one that is wanted, `w`. */
const MAY_BE_TAKEN = `${isInFlight('r')} AND r.marked_token IS DISTINCT FROM r.lease_token AND r.lease_until > app_now()
         AND (w.from_anyone OR r.leased_by LIKE '${BROKER}%')`

/**
 * Takes claimed emails into one's own hands, by the token that a message names, with a whole lease from now on: the way
 * through the broker has used up some of the claimer's. One taker for each claim: a message that comes twice finds that
 * it was taken, one that comes late finds another token, and both are told so by not being answered here. Its former
 * holder cannot mark it any more, since a mark names its holder. What another transaction holds is passed over: it
 * is being taken, given back or recovered, or only looked at, which `lookAtLeft` tells apart afterwards.
 */
export async function takeOver(sql: Sql, by: Claimer, wanted: readonly Wanted[]): Promise<TakenOver[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<Row>(
    prepared(`WITH held AS MATERIALIZED (
       SELECT r.id FROM scheduled_emails r JOIN unnest($1::uuid[], $2::int[], $3::bool[]) AS w(id, lease_token, from_anyone)
         ON r.id = w.id AND r.lease_token = w.lease_token
       WHERE ${MAY_BE_TAKEN}
       ORDER BY r.id FOR UPDATE OF r SKIP LOCKED
     ), now AS MATERIALIZED (SELECT app_now() AS at)
     UPDATE scheduled_emails e SET
       leased_by = $4, leased_at = now.at, lease_until = now.at + $5 * interval '1 millisecond', updated_at = now.at
     FROM held, now, mailboxes m WHERE e.id = held.id AND m.id = e.mailbox_id
     RETURNING e.id, e.lease_token AS "leaseToken", e.leased_by AS worker, e.leased_at AS "claimedAt",
       e.lease_until AS "leaseUntil", e.workspace_id AS "workspaceId", e.kind, e.idempotency_key AS "idempotencyKey",
       e.mailbox_id AS "mailboxId", e.campaign_id AS "campaignId", e.campaign_prospect_id AS "campaignProspectId",
       e.prospect_id AS "prospectId", e.sequence_id AS "sequenceId", e.step_number AS "stepNumber", e.attempts,
       e.reserved_date AS "reservedDate", e.content_token AS "contentToken", e.next_retry_at AS "nextRetryAt",
       m.address, m.version::text AS version, m.kind AS "mailboxKind"`),
    [
      plainArray(wanted.map(({ id }) => id)),
      wanted.map(({ leaseToken }) => leaseToken),
      wanted.map(({ fromAnyone }) => fromAnyone),
      by.worker,
      by.leaseMs,
    ],
  )
  return rows.map(({ address, version, mailboxKind: kind, ...email }) => ({
    email,
    mailbox: { id: email.mailboxId, kind, workspaceId: email.workspaceId, address, version },
  }))
}

/** What is the case with those that were not taken over, in the order of `wanted`. */
export function lookAtLeft(sql: Sql, wanted: readonly Wanted[]): Promise<Left[]> {
  return lookAtLeftOf(sql, 'scheduled_emails', MAY_BE_TAKEN, wanted)
}
