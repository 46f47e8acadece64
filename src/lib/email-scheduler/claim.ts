import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import type { Lease } from './lease.ts'

export type ClaimedEmail = Lease & {
  worker: string
  claimedAt: Date
  leaseUntil: Date
  workspaceId: string
  kind: EmailKind
  idempotencyKey: string
  mailboxId: string
  campaignId: string | null
  prospectId: string | null
  sequenceId: string | null
  stepNumber: number | null
  attempts: number
}

export type Claimer = { worker: string; leaseMs: number }

/** Takes the mailbox's oldest due emails. What another worker holds locked is passed over, never waited for. */
export async function claimDue(tx: Sql, mailboxId: string, limit: number, by: Claimer): Promise<ClaimedEmail[]> {
  const { rows } = await tx.query<ClaimedEmail>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM scheduled_emails
       WHERE mailbox_id = $3 AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
       ORDER BY ready_at LIMIT $4
       FOR UPDATE SKIP LOCKED
     ) ${TAKE}`,
    [by.worker, by.leaseMs, mailboxId, limit],
  )
  return rows
}

/** Takes those of the given emails that are due. */
export async function claimByIds(tx: Sql, ids: readonly string[], by: Claimer): Promise<ClaimedEmail[]> {
  const { rows } = await tx.query<ClaimedEmail>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM scheduled_emails
       WHERE id = ANY($3::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
       ORDER BY id
       FOR UPDATE SKIP LOCKED
     ) ${TAKE}`,
    [by.worker, by.leaseMs, ids],
  )
  return rows
}

// next_retry_at stays: it says where a release has to take the email back to.
const TAKE = `, now AS MATERIALIZED (SELECT app_now() AS at)
  UPDATE scheduled_emails e SET
    status = 'SENDING', lease_token = e.lease_token + 1, leased_by = $1, leased_at = now.at,
    lease_until = now.at + $2 * interval '1 millisecond', blocker = NULL, updated_at = now.at
  FROM due, now WHERE e.id = due.id
  RETURNING e.id, e.lease_token AS "leaseToken", e.leased_by AS worker, e.leased_at AS "claimedAt",
    e.lease_until AS "leaseUntil", e.workspace_id AS "workspaceId", e.kind, e.idempotency_key AS "idempotencyKey",
    e.mailbox_id AS "mailboxId", e.campaign_id AS "campaignId", e.prospect_id AS "prospectId",
    e.sequence_id AS "sequenceId", e.step_number AS "stepNumber", e.attempts`
