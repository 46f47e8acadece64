import type { Lease } from '#lib/email-scheduler/lease.ts'
import type { ClaimedEmail, ClaimedMailbox, Claimer } from '#lib/email-scheduler/send/claim.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { BROKER, type Left, type Looked, leftOf } from '#lib/platform/rows/for-broker.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

export type TakenOver = { email: ClaimedEmail; mailbox: ClaimedMailbox }

/** `fromAnyone`: also from one who has taken it over already, since the broker says that it was lost. */
export type Takeable = Lease & { fromAnyone: boolean }

type Row = ClaimedEmail & Pick<ClaimedMailbox, 'address' | 'version'> & { mailboxKind: ClaimedMailbox['kind'] }

/** Of an email `e` whose token is the one that is wanted, `w`. */
const MAY_BE_TAKEN = `e.status = 'SENDING' AND e.marked_token IS DISTINCT FROM e.lease_token AND e.lease_until > app_now()
         AND (w.from_anyone OR e.leased_by LIKE '${BROKER}%')`

/**
 * Takes claimed emails into one's own hands, by the token that a message names, with a whole lease from now on: the way
 * through the broker has used up some of the claimer's. One taker for each claim: a message that comes twice finds that
 * it was taken, one that comes late finds another token, and both are told so by not being answered here. Whoever had
 * it before cannot mark it any more, since a mark names its holder. What another transaction holds is passed over: it
 * is being taken, given back or recovered, or only looked at, which `lookAtLeft` tells apart afterwards.
 */
export async function takeOver(sql: Sql, by: Claimer, wanted: readonly Takeable[]): Promise<TakenOver[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<Row>(
    prepared(`WITH held AS MATERIALIZED (
       SELECT e.id FROM scheduled_emails e JOIN unnest($1::uuid[], $2::int[], $3::bool[]) AS w(id, lease_token, from_anyone)
         ON e.id = w.id AND e.lease_token = w.lease_token
       WHERE ${MAY_BE_TAKEN}
       ORDER BY e.id FOR UPDATE OF e SKIP LOCKED
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
export async function lookAtLeft(sql: Sql, wanted: readonly Takeable[]): Promise<Left[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<Looked>(
    `SELECT e.id IS NULL AS "isUnknown", coalesce(e.lease_token = w.lease_token AND ${MAY_BE_TAKEN}, false) AS "mayBeTaken"
     FROM unnest($1::uuid[], $2::int[], $3::bool[]) WITH ORDINALITY AS w(id, lease_token, from_anyone, place)
     LEFT JOIN scheduled_emails e ON e.id = w.id ORDER BY w.place`,
    [
      plainArray(wanted.map(({ id }) => id)),
      wanted.map(({ leaseToken }) => leaseToken),
      wanted.map(({ fromAnyone }) => fromAnyone),
    ],
  )
  return rows.map(leftOf)
}
