import { reactivate, reopenCampaignsOf } from '#lib/campaigns/finish.ts'
import { reviveSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import { moveToTakers } from '#lib/email-scheduler/plan/takers.ts'
import type { MoveReason } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { answerEach, lockOwned, type OwnedEmail, type PersonAnswer, refusalByOwner } from './person-verb.ts'

/**
 * A person takes a cancellation or a dismissal back. Never where the email was once handed over, and never where it
 * would wait for a step that is not coming. A first step, or one whose predecessor is sent, is due as planned; the others
 * wait for theirs. Its place in the plan is gone, so it is planned again (version 0).
 */
export async function restore(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<PersonAnswer[]> {
  await reopenCampaignsOf(tx, workspaceId, ids)
  const owned = await lockOwned(tx, workspaceId, ids)
  const wanted = owned.filter((email) => refusal(email) === undefined).map(({ id }) => id)
  await reactivate(tx, wanted)
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE scheduled_emails e SET status = 'SCHEDULED', cancelled_at = NULL, cancel_reason = NULL, attempts = 0,
       last_error = NULL, last_error_code = NULL, status_reason = '${'RESTORED' satisfies MoveReason}', plan_version = 0, updated_at = app_now(),
       ready_at = CASE WHEN NOT EXISTS (
         SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id
           AND b.step_number < e.step_number AND b.status <> 'SENT') THEN e.scheduled_for END
     WHERE e.workspace_id = $1 AND e.id = ANY($2::uuid[]) AND e.status = 'CANCELLED' AND e.marked_token IS NULL
       AND NOT EXISTS (
         SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id
           AND b.step_number < e.step_number AND b.status IN ('CANCELLED', 'PERMANENTLY_FAILED')
           AND NOT (b.id = ANY($2::uuid[])))
     RETURNING e.id`,
    [workspaceId, wanted],
  )
  const restored = rows.map(({ id }) => id)
  await moveToTakers(tx, workspaceId, restored)
  await reviveSuccessors(tx, restored, 'PREDECESSOR_CANCELLED')
  const undismissed = await tx.query<{ id: string }>(
    `UPDATE scheduled_emails SET dismissed_at = NULL, updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status = 'PERMANENTLY_FAILED' AND dismissed_at IS NOT NULL
     RETURNING id`,
    [workspaceId, ids],
  )
  const done = new Map<string, ScheduledEmailStatus>([
    ...restored.map((id) => [id, 'SCHEDULED'] as const),
    ...undismissed.rows.map(({ id }) => [id, 'PERMANENTLY_FAILED'] as const),
  ])
  return answerEach(ids, owned, done, (email) => refusal(email) ?? 'predecessor-not-coming')
}

function refusal(email: OwnedEmail) {
  if (email.status !== 'CANCELLED') return 'not-possible'
  return email.marked ? 'was-handed-over' : refusalByOwner(email)
}
