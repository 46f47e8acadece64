import type pg from 'pg'
import { addUp } from '#lib/platform/rows/kept-counts.ts'
import { NO_ID } from './outbox-source.ts'

/** Mostly there are some, while emails are sent: a tick asks this together with other questions. */
export const COUNT_CHANGES = 'SELECT FROM email_count_changes'

const KEY = 'workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code'

/** Each change is added to the cell of its mailbox and to that of all mailboxes. */
export const addUpCounts = (pool: pg.Pool): Promise<number> =>
  addUp(pool, {
    cells: 'email_counts',
    changes: 'email_count_changes',
    lock: 7265102,
    isEmpty: 'emails = 0',
    add: `summed AS (
         SELECT workspace_id, m.mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, sum(change)::int AS change
         FROM taken t CROSS JOIN LATERAL (VALUES (t.mailbox_id), ('${NO_ID}'::uuid)) AS m(mailbox_id)
         GROUP BY workspace_id, m.mailbox_id, campaign_id, local_date, status, is_dismissed, error_code
       ), added AS (
         INSERT INTO email_counts AS c (${KEY}, emails) SELECT ${KEY}, change FROM summed WHERE change <> 0
         ON CONFLICT (${KEY}) DO UPDATE SET emails = c.emails + EXCLUDED.emails RETURNING c.ctid AS at, c.emails = 0 AS "isEmpty"
       )`,
  })
