import type { Sql } from '#lib/platform/database.ts'
import { RETRY_BACKOFF_MINUTES } from './retry-policy.ts'

/**
 * Its server could not be used, or asks for a pause; nothing that waits is charged an attempt. A pause of minutes grows
 * with each fault in a row, and emails that failed together are one fault. One of more than an hour is the provider's own
 * limit: what waits is planned around it.
 */
export async function pauseMailbox(sql: Sql, mailboxId: string, reason: string, notBefore?: Date): Promise<void> {
  await sql.query(
    `UPDATE mailboxes m SET updated_at = app_now(),
       pause_reason = CASE WHEN greatest(m.deferred_until, m.fault_until) > p.until THEN m.pause_reason ELSE $2 END,
       deferred_until = CASE WHEN p.is_limit THEN greatest(m.deferred_until, p.until) ELSE m.deferred_until END,
       fault_until = CASE WHEN p.is_limit THEN m.fault_until ELSE p.until END,
       faults_in_row = m.faults_in_row + (NOT p.is_limit)::int
     FROM mailboxes before CROSS JOIN LATERAL (
       SELECT coalesce($4::timestamptz > app_now() + interval '1 hour', false) AS is_limit,
         greatest($4::timestamptz,
           app_now() + ($3::int[])[least(before.faults_in_row + 1, cardinality($3::int[]))] * interval '1 minute') AS until) p
     WHERE m.id = $1 AND before.id = m.id AND (p.is_limit OR coalesce(m.fault_until, '-infinity') <= app_now())`,
    [mailboxId, reason, [...RETRY_BACKOFF_MINUTES], notBefore ?? null],
  )
}

/** Its server works again. */
export async function forgetFaults(sql: Sql, mailboxId: string): Promise<void> {
  await sql.query(
    'UPDATE mailboxes SET faults_in_row = 0, fault_until = NULL, pause_reason = NULL, updated_at = app_now() WHERE id = $1 AND faults_in_row > 0',
    [mailboxId],
  )
}

/** It was refused for good, so the rest waits for a person instead of failing one by one. False where it had stopped already. */
export async function stopMailbox(sql: Sql, mailboxId: string, reason: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $2, updated_at = app_now() WHERE id = $1 AND status = 'CONNECTED'`,
    [mailboxId, reason],
  )
  return rowCount === 1
}
