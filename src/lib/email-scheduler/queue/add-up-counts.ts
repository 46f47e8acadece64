import type pg from 'pg'
import { inTransaction } from '#lib/platform/database.ts'
import { NO_ID } from './outbox-source.ts'

/** Mostly there are some, while emails are sent: a tick asks this together with other questions. */
export const COUNT_CHANGES = 'SELECT FROM email_count_changes'

/** One at a time adds up, among all workers: beside FAIR_LOCKS of the platform, a number of its own. */
const ADDING_UP = 7265102

export const ADDED_AT_ONCE = 5_000

const KEY = 'workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code'

/**
 * Adds up a share of what triggers appended since: each change to the cell of its mailbox and to that of all mailboxes,
 * in the transaction that takes it away. Whoever is counting meanwhile sees all of it or nothing. Answers how many it
 * took; none where another worker is at it.
 */
export async function addUpCounts(pool: pg.Pool): Promise<number> {
  const open = await pool.query(`${COUNT_CHANGES} LIMIT 1`)
  if (open.rowCount === 0) return 0
  return inTransaction(pool, async (tx) => {
    const { rows: locks } = await tx.query<{ isMine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS "isMine"', [
      ADDING_UP,
    ])
    if (!locks[0]?.isMine) return 0
    const { rows } = await tx.query<{ at: string; emails: number; taken: number }>(
      `WITH taken AS (
         DELETE FROM email_count_changes WHERE id IN (SELECT id FROM email_count_changes ORDER BY id LIMIT ${ADDED_AT_ONCE}) RETURNING *
       ), summed AS (
         SELECT workspace_id, m.mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, sum(change)::int AS change
         FROM taken t CROSS JOIN LATERAL (VALUES (t.mailbox_id), ('${NO_ID}'::uuid)) AS m(mailbox_id)
         GROUP BY workspace_id, m.mailbox_id, campaign_id, local_date, status, is_dismissed, error_code
       ), added AS (
         INSERT INTO email_counts AS c (${KEY}, emails) SELECT ${KEY}, change FROM summed WHERE change <> 0
         ON CONFLICT (${KEY}) DO UPDATE SET emails = c.emails + EXCLUDED.emails RETURNING c.ctid, c.emails
       )
       SELECT ctid::text AS at, emails, (SELECT count(*) FROM taken)::int AS taken FROM added
       UNION ALL SELECT '', 1, (SELECT count(*) FROM taken)::int`,
    )
    // What is empty now is forgotten: days go by, and a cell of each would stay for ever.
    const empty = rows.filter(({ emails }) => emails === 0).map(({ at }) => at)
    if (empty.length > 0) await tx.query('DELETE FROM email_counts WHERE ctid = ANY($1::tid[]) AND emails = 0', [empty])
    return rows[0]?.taken ?? 0
  })
}
