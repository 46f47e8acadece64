import { reactivate, reopenCampaignsOf } from '#lib/campaigns/finish.ts'
import { mayHaveArrived } from '#lib/campaigns/may-have-arrived.ts'
import { reviveSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import { moveToTakers } from '#lib/email-scheduler/plan/takers.ts'
import type { MoveReason } from '#lib/email-scheduler/reasons.ts'
import { moveAccepted } from '#lib/email-scheduler/send/late-evidence.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { copyRefusals } from './copy-refusals.ts'
import { answerEach, lockOwned, type OwnedEmail, type PersonAnswer, refusalByOwner } from './person-verb.ts'

/**
 * A person starts failed emails over, with a fresh count; the steps that were cancelled because of them wait again. They
 * are rendered anew, since the address or text may have been mended: unless one attempt's outcome is unknown, for then
 * two different emails might reach the recipient. What is transactional was rendered by its caller.
 */
export async function retryFailed(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<PersonAnswer[]> {
  await reopenCampaignsOf(tx, workspaceId, ids)
  const owned = await lockOwned(tx, workspaceId, ids)
  const refused = await copyRefusals(tx, workspaceId, ids)
  const refusal = (email: OwnedEmail) =>
    email.status === 'PERMANENTLY_FAILED' ? (refusalByOwner(email) ?? refused.get(email.id)) : 'not-possible'
  const wanted = owned.filter((email) => refusal(email) === undefined).map(({ id }) => id)
  await reactivate(tx, wanted)
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE scheduled_emails e SET status = 'RETRY_SCHEDULED', attempts = 0, next_retry_at = app_now(), ready_at = app_now(),
       content_token = CASE WHEN ${mayHaveArrived('e')} OR kind = 'TRANSACTIONAL' THEN content_token END,
       last_error = NULL, last_error_code = NULL, dismissed_at = NULL, status_reason = '${'RETRIED_BY_PERSON' satisfies MoveReason}',
       updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status = 'PERMANENTLY_FAILED'
     RETURNING id`,
    [workspaceId, wanted],
  )
  const moved = rows.map(({ id }) => id)
  await moveToTakers(tx, workspaceId, moved)
  await reviveSuccessors(tx, moved, 'PREDECESSOR_FAILED')
  const done = new Map<string, ScheduledEmailStatus>(moved.map((id) => [id, 'RETRY_SCHEDULED']))
  // Evidence may have come after it failed for good: then there is nothing to retry.
  for (const id of await moveAccepted(tx, moved)) done.set(id, 'SENT')
  return answerEach(ids, owned, done, refusal)
}
