import type { Sql } from '#lib/platform/database.ts'

/**
 * How long until something may be due at one of the mailboxes that are not resting, by the database's clock; null where
 * nothing is planned. A lookup in the index for each mailbox and running campaign.
 */
export async function msUntilNextDue(sql: Sql, resting: readonly string[]): Promise<number | null> {
  const { rows } = await sql.query<{ ms: number | null }>(
    `SELECT extract(epoch FROM min(greatest(first.ready_at, m.deferred_until, m.fault_until,
         CASE WHEN s.jitter_max_seconds > 0 THEN m.next_allowed_at END)) - app_now())::float8 * 1000 AS ms
     FROM mailboxes m
     JOIN sending_settings s ON s.workspace_id = m.workspace_id
     JOIN campaigns c ON c.workspace_id = m.workspace_id AND c.status = 'RUNNING'
     CROSS JOIN LATERAL (
       SELECT ready_at FROM scheduled_emails
       WHERE mailbox_id = m.id AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL
       ORDER BY ready_at LIMIT 1) first
     WHERE NOT (SELECT sending_is_held()) AND m.status = 'CONNECTED' AND m.id <> ALL($1::uuid[])`,
    [resting],
  )
  return rows[0]?.ms ?? null
}
