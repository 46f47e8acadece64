import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'

/** One that still waits when what it tells is no longer so. What is being handed over or was sent stays as it is. */
export async function cancelOutdated(tx: Sql, workspaceId: string, id: string): Promise<void> {
  await tx.query(
    `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = '${'OUTDATED' satisfies CancelReason}',
       next_retry_at = NULL, ready_at = NULL, blocker = NULL, updated_at = app_now()
     WHERE workspace_id = $1 AND id = $2 AND kind = 'TRANSACTIONAL' AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')`,
    [workspaceId, id],
  )
}
