import type { CancelReason, MoveReason } from '#lib/email-scheduler/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'
import { FREE_THEIR_PLACES } from './freed-places.ts'

type PredecessorReason = Extract<CancelReason, 'PREDECESSOR_FAILED' | 'PREDECESSOR_CANCELLED'>

/** The later steps of the same prospect that wait for these emails: what they wait for will not come. */
export async function cancelSuccessors(tx: Sql, ids: readonly string[], reason: PredecessorReason): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `WITH waiting AS MATERIALIZED (
       SELECT e.id FROM scheduled_emails p JOIN scheduled_emails e
         ON e.campaign_prospect_id = p.campaign_prospect_id AND e.step_number > p.step_number
       WHERE p.id = ANY($1::uuid[]) AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED') ORDER BY e.id FOR UPDATE OF e
     ), cancelled AS (UPDATE scheduled_emails e SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = $2,
       next_retry_at = NULL, ready_at = NULL, blocker = NULL, updated_at = app_now()
     FROM waiting WHERE e.id = waiting.id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')
     RETURNING e.*), ${FREE_THEIR_PLACES}
     SELECT FROM cancelled`,
    [ids, reason],
  )
}

/**
 * The later steps that were cancelled because of these emails, which go on after all. One behind another step that is
 * not coming stays cancelled: it would wait for ever. Their time is empty until the step before them is sent, and their
 * place is gone: version 0 has them planned again.
 */
export async function reviveSuccessors(tx: Sql, ids: readonly string[], reason: PredecessorReason): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `UPDATE scheduled_emails e SET status = 'SCHEDULED', cancelled_at = NULL, cancel_reason = NULL,
       status_reason = '${'PREDECESSOR_REVIVED' satisfies MoveReason}', ready_at = NULL, plan_version = 0, updated_at = app_now()
     FROM scheduled_emails p
     WHERE p.id = ANY($1::uuid[]) AND e.campaign_prospect_id = p.campaign_prospect_id AND e.step_number > p.step_number
       AND e.status = 'CANCELLED' AND e.cancel_reason = $2 AND e.marked_token IS NULL
       AND NOT EXISTS (
         SELECT FROM scheduled_emails b
         WHERE b.campaign_prospect_id = e.campaign_prospect_id AND b.step_number < e.step_number
           AND (b.status = 'PERMANENTLY_FAILED' OR (b.status = 'CANCELLED' AND b.cancel_reason <> $2)))`,
    [ids, reason],
  )
}
