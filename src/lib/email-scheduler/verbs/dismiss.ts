import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { answerEach, lockOwned, type PersonAnswer } from './person-verb.ts'

/**
 * A person has seen it and wants nothing more. A failed email keeps its state and is marked; an unknown one is
 * cancelled, and so are the steps that wait for it. Rows and keys stay.
 */
export async function dismiss(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<PersonAnswer[]> {
  const owned = await lockOwned(tx, workspaceId, ids)
  const { rows } = await tx.query<{ id: string; status: ScheduledEmailStatus }>(
    `UPDATE scheduled_emails SET
       status = CASE status WHEN 'OUTCOME_UNKNOWN' THEN 'CANCELLED' ELSE status END,
       cancelled_at = CASE status WHEN 'OUTCOME_UNKNOWN' THEN app_now() END,
       cancel_reason = CASE status WHEN 'OUTCOME_UNKNOWN' THEN '${'DISMISSED' satisfies CancelReason}' END,
       dismissed_at = CASE status WHEN 'PERMANENTLY_FAILED' THEN app_now() END,
       updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[])
       AND (status = 'OUTCOME_UNKNOWN' OR (status = 'PERMANENTLY_FAILED' AND dismissed_at IS NULL))
     RETURNING id, status`,
    [workspaceId, ids],
  )
  await cancelSuccessors(
    tx,
    rows.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id),
    'PREDECESSOR_CANCELLED',
  )
  return answerEach(ids, owned, new Map(rows.map(({ id, status }) => [id, status])), () => 'not-possible')
}
