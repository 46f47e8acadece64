import { reactivate, reopenCampaignsOf } from '#lib/campaigns/finish.ts'
import { afterSent } from '#lib/email-scheduler/effects/after-sent.ts'
import { moveToTakers } from '#lib/email-scheduler/plan/takers.ts'
import type { MoveReason } from '#lib/email-scheduler/reasons.ts'
import { FROZEN_MESSAGE_ID } from '#lib/email-scheduler/send/late-evidence.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { copyRefusals } from './copy-refusals.ts'
import { answerEach, lockOwned, type OwnedEmail, type PersonAnswer, refusalByOwner } from './person-verb.ts'

/** A person takes unknown emails as delivered: they count as sent from the moment they were handed over. */
export async function assumeDelivered(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<PersonAnswer[]> {
  const owned = await lockOwned(tx, workspaceId, ids)
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE scheduled_emails e SET status = 'SENT', sent_at = submit_started_at, message_id = coalesce(message_id, ${FROZEN_MESSAGE_ID}), status_reason = '${'ASSUMED_DELIVERED' satisfies MoveReason}',
       updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status = 'OUTCOME_UNKNOWN'
     RETURNING id`,
    [workspaceId, ids],
  )
  await afterSent(
    tx,
    rows.map(({ id }) => id),
  )
  const done = new Map<string, ScheduledEmailStatus>(rows.map(({ id }) => [id, 'SENT']))
  return answerEach(ids, owned, done, () => 'not-possible')
}

/**
 * A person who has read that an email may already have been delivered sends it again: the one exception to "never
 * twice". Not before the attempt must have ended: until then the worker may still be submitting.
 */
export async function sendAgain(
  tx: Sql,
  workspaceId: string,
  ids: readonly string[],
  attemptMsMax: number,
): Promise<PersonAnswer[]> {
  await reopenCampaignsOf(tx, workspaceId, ids)
  const owned = await lockOwned(tx, workspaceId, ids)
  const refused = await copyRefusals(tx, workspaceId, ids)
  const refusal = (email: OwnedEmail) => refusalByOwner(email) ?? refused.get(email.id)
  const wanted = owned.filter((email) => refusal(email) === undefined).map(({ id }) => id)
  await reactivate(tx, wanted)
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE scheduled_emails SET status = 'RETRY_SCHEDULED', next_retry_at = app_now(), ready_at = app_now(),
       status_reason = '${'SENT_AGAIN_BY_PERSON' satisfies MoveReason}', updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status = 'OUTCOME_UNKNOWN'
       AND submit_started_at + $3 * interval '1 millisecond' <= app_now()
     RETURNING id`,
    [workspaceId, wanted, attemptMsMax],
  )
  await moveToTakers(
    tx,
    workspaceId,
    rows.map(({ id }) => id),
  )
  const done = new Map<string, ScheduledEmailStatus>(rows.map(({ id }) => [id, 'RETRY_SCHEDULED']))
  return answerEach(ids, owned, done, (email: OwnedEmail) =>
    email.status === 'OUTCOME_UNKNOWN' ? (refusal(email) ?? 'too-early') : 'not-possible',
  )
}
