import { FREE_THEIR_PLACES } from '#lib/email-scheduler/effects/freed-places.ts'
import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { answerEach, lockOwned, type PersonAnswer } from './person-verb.ts'

/** A person cancels emails that wait, and with them the steps that would have followed. */
export async function cancel(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<PersonAnswer[]> {
  const owned = await lockOwned(tx, workspaceId, ids)
  const { rows } = await tx.query<{ id: string }>(
    `WITH cancelled AS (UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = '${'BY_PERSON' satisfies CancelReason}',
       next_retry_at = NULL, ready_at = NULL, blocker = NULL, updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')
     RETURNING *), ${FREE_THEIR_PLACES}
     SELECT id FROM cancelled`,
    [workspaceId, ids],
  )
  const cancelled = rows.map(({ id }) => id)
  await cancelSuccessors(tx, cancelled, 'PREDECESSOR_CANCELLED')
  const done = new Map<string, ScheduledEmailStatus>(cancelled.map((id) => [id, 'CANCELLED']))
  return answerEach(ids, owned, done, () => 'not-possible')
}
