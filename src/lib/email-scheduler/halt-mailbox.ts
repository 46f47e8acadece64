import type { Sql } from '#lib/platform/database.ts'
import type { FailureHandling } from './handle-failure.ts'

/** Where nobody said when to come back. */
const DEFER_MINUTES = 5

/**
 * Does to a mailbox what a failure asks for: a stop waits for a person, a deferral ends by itself and is never shortened.
 * One that is stopped or archived already stays as it is. The first lock of its transaction, as everywhere.
 */
export async function haltMailbox(
  tx: Sql,
  mailboxId: string,
  halt: NonNullable<FailureHandling['mailbox']>,
): Promise<'halted' | 'was-not-connected'> {
  await tx.query('SELECT FROM mailboxes WHERE id = $1 FOR UPDATE', [mailboxId])
  const { rowCount } =
    halt.kind === 'stop'
      ? await tx.query(
          `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $2, updated_at = app_now() WHERE id = $1 AND status = 'CONNECTED'`,
          [mailboxId, halt.reason],
        )
      : await tx.query(
          `UPDATE mailboxes SET
             deferred_reason = CASE WHEN deferred_until > wanted.until THEN deferred_reason ELSE $3 END,
             deferred_until = greatest(deferred_until, wanted.until), updated_at = app_now()
           FROM (SELECT coalesce($2::timestamptz, app_now() + make_interval(mins => $4)) AS until) wanted
           WHERE id = $1 AND status = 'CONNECTED'`,
          [mailboxId, halt.until ?? null, halt.reason, DEFER_MINUTES],
        )
  return rowCount === 0 ? 'was-not-connected' : 'halted'
}
