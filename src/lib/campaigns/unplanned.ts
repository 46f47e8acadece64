import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { missingFieldsSql } from '#lib/sequences/merge-fields.ts'
import type { EnrolmentReason } from './enrolment-reasons.ts'

export type UnplannedEnrolment = {
  id: string
  prospectId: string
  /** Where its emails must leave from, if that is settled already. */
  mailboxId: string | null
  /** Why nothing may be planned for it; null where it may. */
  refusal: EnrolmentReason | null
  /** The fields that its texts need and the prospect does not have. */
  missing: string[]
  enrolledAt: Date
}

const UNPLANNED = `SELECT cp.id, cp.prospect_id AS "prospectId", cp.mailbox_id AS "mailboxId", cp.created_at AS "enrolledAt",
    ${missingFieldsSql('p', '$3::text[]')} AS missing,
    CASE WHEN p.erased_at IS NOT NULL THEN 'erased'
         WHEN p.archived_at IS NOT NULL THEN 'archived'
         WHEN p.unsubscribed_at IS NOT NULL THEN 'unsubscribed'
         WHEN p.bounced_at IS NOT NULL THEN 'bounced'
         WHEN p.replied_at IS NOT NULL THEN 'replied'
    END AS refusal
  FROM campaign_prospects cp JOIN prospects p ON p.id = cp.prospect_id
  WHERE cp.campaign_id = $1 AND cp.planned_at IS NULL AND cp.state = 'PENDING'`

/**
 * The next enrolments that have no plan yet, in the order in which they came. Found by the lack of a plan and not by
 * a cursor, so that a late enrolment is never passed over.
 */
export async function takeUnplanned(
  tx: Sql,
  campaignId: string,
  limit: number,
  fieldsNeeded: readonly string[],
): Promise<UnplannedEnrolment[]> {
  const { rows: next } = await tx.query<{ prospect_id: string }>(
    `SELECT cp.prospect_id FROM campaign_prospects cp
     WHERE cp.campaign_id = $1 AND cp.planned_at IS NULL AND cp.state = 'PENDING' ORDER BY cp.id LIMIT $2`,
    [campaignId, limit],
  )
  const prospectIds = plainArray(next.map((row) => row.prospect_id))
  await lockProspectsShared(tx, prospectIds)
  const { rows } = await tx.query<UnplannedEnrolment>(
    `${UNPLANNED} AND cp.prospect_id = ANY($2::uuid[]) ORDER BY cp.id FOR NO KEY UPDATE OF cp`,
    [campaignId, prospectIds, fieldsNeeded],
  )
  return rows
}

/** By id, and before their enrolments, like everybody who locks several prospects: an import and a batch wait, and do not deadlock. */
export async function lockProspectsShared(tx: Sql, prospectIds: string): Promise<void> {
  await tx.query('SELECT FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE', [prospectIds])
}

/** The same enrolments in the same batches, only looked at: for a dry run. */
export async function readUnplanned(
  sql: Sql,
  campaignId: string,
  limit: number,
  fieldsNeeded: readonly string[],
  afterId: string | null,
): Promise<UnplannedEnrolment[]> {
  const { rows } = await sql.query<UnplannedEnrolment>(
    `${UNPLANNED} AND ($4::uuid IS NULL OR cp.id > $4) ORDER BY cp.id LIMIT $2`,
    [campaignId, limit, fieldsNeeded, afterId],
  )
  return rows
}

export async function countUnplanned(sql: Sql, campaignId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM campaign_prospects WHERE campaign_id = $1 AND planned_at IS NULL AND state = 'PENDING'`,
    [campaignId],
  )
  return rows[0]?.count ?? 0
}

/** Who is in the campaign and is not going to be planned, or not as things are. */
export async function countSetAside(sql: Sql, campaignId: string): Promise<{ skipped: number; blocked: number }> {
  const { rows } = await sql.query<{ skipped: number; blocked: number }>(
    `SELECT count(*) FILTER (WHERE state = 'SKIPPED')::int AS skipped, count(*) FILTER (WHERE state = 'BLOCKED')::int AS blocked
     FROM campaign_prospects WHERE campaign_id = $1 AND state IN ('SKIPPED', 'BLOCKED')`,
    [campaignId],
  )
  return rows[0] ?? { skipped: 0, blocked: 0 }
}

/** Running campaigns with something left to plan, in the order in which they take their turns. */
export async function campaignsToPlan(sql: Sql): Promise<{ id: string; workspaceId: string }[]> {
  const { rows } = await sql.query<{ id: string; workspaceId: string }>(
    `SELECT c.id, c.workspace_id AS "workspaceId" FROM campaigns c
     WHERE c.status = 'RUNNING' AND EXISTS (
       SELECT FROM campaign_prospects cp WHERE cp.campaign_id = c.id AND cp.planned_at IS NULL AND cp.state = 'PENDING')
     ORDER BY c.id`,
  )
  return rows
}

/** In the transaction that inserts their emails. */
export async function markPlanned(
  tx: Sql,
  enrolments: readonly { id: string; mailboxId: string }[],
  steps: number,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE campaign_prospects cp SET planned_at = $3, planned_steps = $4, state = 'ACTIVE', mailbox_id = e.mailbox_id
     FROM unnest($1::uuid[], $2::uuid[]) AS e(id, mailbox_id) WHERE cp.id = e.id`,
    [plainArray(enrolments.map(({ id }) => id)), plainArray(enrolments.map(({ mailboxId }) => mailboxId)), now, steps],
  )
}

/** Why enrolments are not planned: `SKIPPED` for good, `BLOCKED` until their fields are filled. */
export async function setAside(
  tx: Sql,
  ids: readonly string[],
  state: 'SKIPPED' | 'BLOCKED',
  { code, reason }: { code: EnrolmentReason; reason: string },
): Promise<void> {
  await tx.query(
    `UPDATE campaign_prospects SET state = $3::enrolment_state, reason_code = $4, reason = $2 WHERE id = ANY($1::uuid[])`,
    [plainArray(ids), reason, state, code],
  )
}
