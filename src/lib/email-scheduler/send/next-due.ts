import type pg from 'pg'
import { prepared } from '#lib/platform/database.ts'
import { seenBy } from './moment.ts'

export type NextDue = {
  /** By the database's clock; null where nothing is planned. */
  ms: number | null
  /** Why nothing can be claimed: this process has seen the database at a later moment. Asked here, so that it costs no statement. */
  hasGoneBack: boolean
}

/**
 * How long until something may be due at one of the mailboxes that are not resting. A lookup in the index for each mailbox and running campaign, and one for what is in no campaign.
 */
export async function lookForNextDue(pool: pg.Pool, resting: readonly string[]): Promise<NextDue> {
  const { rows } = await pool.query<NextDue>(
    prepared(`SELECT extract(epoch FROM min(greatest(next.at, m.deferred_until, m.fault_until)) - app_now())::float8 * 1000 AS ms,
       has_gone_back($2, $3, $4) AS "hasGoneBack"
     FROM mailboxes m
     JOIN sending_settings s ON s.workspace_id = m.workspace_id
     CROSS JOIN LATERAL (
       SELECT greatest(first.ready_at, CASE WHEN s.jitter_max_seconds > 0 THEN m.next_allowed_at END) AS at
       FROM campaigns c CROSS JOIN LATERAL (
         SELECT ready_at FROM scheduled_emails
         WHERE mailbox_id = m.id AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL
         ORDER BY ready_at LIMIT 1) first
       WHERE c.workspace_id = m.workspace_id AND c.status = 'RUNNING'
       UNION ALL (SELECT ready_at FROM scheduled_emails
         WHERE mailbox_id = m.id AND campaign_id IS NULL AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL
         ORDER BY ready_at LIMIT 1)) next
     WHERE NOT (SELECT sending_is_held()) AND m.status = 'CONNECTED' AND m.id <> ALL((SELECT $1)::uuid[])`),
    [resting, ...seenBy(pool)],
  )
  return rows[0] ?? { ms: null, hasGoneBack: false }
}
