import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import { lockOwners } from './owners.ts'

const PARKED = `mailbox_id = $1 AND status = 'RETRY_SCHEDULED' AND blocker = '${'mailbox-connected' satisfies GuardName}'`

/**
 * Retries that were parked because their mailbox was not connected go on at their own time. A re-plan would not find them:
 * it leaves retries where the policy put them. In a transaction of its own, after the mailbox was let go, since campaigns
 * are locked before emails. Changes nothing where the mailbox is not connected.
 */
export async function liftParkedRetries(tx: Sql, mailboxId: string): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM scheduled_emails
     WHERE ${PARKED} AND EXISTS (SELECT FROM mailboxes m WHERE m.id = $1 AND m.status = 'CONNECTED')`,
    [mailboxId],
  )
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await lockOwners(tx, ids)
  await tx.query('SELECT FROM scheduled_emails WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE', [ids])
  const { rowCount } = await tx.query(
    `UPDATE scheduled_emails SET blocker = NULL, ready_at = next_retry_at, updated_at = app_now()
     WHERE id = ANY($2::uuid[]) AND ${PARKED}`,
    [mailboxId, ids],
  )
  return rowCount ?? 0
}
