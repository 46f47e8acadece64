import { prepared, type Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
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
  campaignProspectId: string | null
  prospectId: string | null
  sequenceId: string | null
  stepNumber: number | null
  attempts: number
  /** The local date whose quota it holds a place in. */
  reservedDate: string | null
  /** The frozen copy that goes out; empty where it is to be rendered. */
  contentToken: number | null
}

export type Claimer = { worker: string; leaseMs: number }

type Claiming = { id: string; workspaceId: string; lastCampaignId: string | null }

export type DueEmail = { id: string; campaignId: string; jitterSeconds: number }

/**
 * What is due at a mailbox: the oldest of each of its running campaigns in turn, beginning after the campaign that was
 * served last, so that one with half a million due emails delays one with ten by ten. A campaign that does not run is
 * not looked at, however much of it is due.
 */
export async function findDue(tx: Sql, mailbox: Claiming, limit: number): Promise<DueEmail[]> {
  const { rows } = await tx.query<DueEmail>(
    `SELECT e.id, c.id AS "campaignId", e.jitter_seconds AS "jitterSeconds"
     FROM campaigns c CROSS JOIN LATERAL (
       SELECT id, jitter_seconds, row_number() OVER (ORDER BY ready_at, id) AS turn FROM (
         SELECT id, jitter_seconds, ready_at FROM scheduled_emails
         WHERE mailbox_id = $1 AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
         ORDER BY ready_at LIMIT $3) oldest) e
     WHERE c.workspace_id = $2 AND c.status = 'RUNNING'
     ORDER BY e.turn, c.id <= $4, c.id LIMIT $3`,
    [mailbox.id, mailbox.workspaceId, limit, mailbox.lastCampaignId],
  )
  return rows
}

/** Takes those of the given emails that still wait and are due. What another transaction holds locked is passed over. */
export async function claimByIds(
  tx: Sql,
  ids: readonly string[],
  by: Claimer,
  reservedDate: string | null = null,
): Promise<ClaimedEmail[]> {
  // next_retry_at stays: it says where a release has to take the email back to.
  const { rows } = await tx.query<ClaimedEmail>(
    prepared(`WITH due AS MATERIALIZED (
       SELECT id FROM scheduled_emails
       WHERE id = ANY($3::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
       ORDER BY id
       FOR UPDATE SKIP LOCKED
     ), now AS MATERIALIZED (SELECT app_now() AS at)
     UPDATE scheduled_emails e SET
       status = 'SENDING', lease_token = e.lease_token + 1, leased_by = $1, leased_at = now.at, reserved_date = $4,
       lease_until = now.at + $2 * interval '1 millisecond', blocker = NULL, updated_at = now.at
     FROM due, now WHERE e.id = due.id
     RETURNING e.id, e.lease_token AS "leaseToken", e.leased_by AS worker, e.leased_at AS "claimedAt",
       e.lease_until AS "leaseUntil", e.workspace_id AS "workspaceId", e.kind, e.idempotency_key AS "idempotencyKey",
       e.mailbox_id AS "mailboxId", e.campaign_id AS "campaignId", e.campaign_prospect_id AS "campaignProspectId",
       e.prospect_id AS "prospectId", e.sequence_id AS "sequenceId", e.step_number AS "stepNumber", e.attempts,
       e.reserved_date AS "reservedDate", e.content_token AS "contentToken"`),
    [by.worker, by.leaseMs, plainArray(ids), reservedDate],
  )
  return rows
}
