/** In the counts: of all mailboxes together, or of no campaign. */
const NONE = `'00000000-0000-0000-0000-000000000000'::uuid`

const CELL_OF_EMAIL = `e.local_date, e.status, e.dismissed_at IS NOT NULL, coalesce(e.last_error_code, '')`

/** What triggers appended and no tick has added up yet belongs to the count as well. */
const changesOf = (columns: string) =>
  `coalesce((SELECT sum(c.change) FROM email_count_changes c
    WHERE (c.workspace_id, c.campaign_id, c.local_date, c.status, c.is_dismissed, c.error_code) = (${columns})), 0)`

const EMAILS_OF_CELL = `(SELECT count(*) FROM scheduled_emails e
  WHERE e.campaign_id = k.campaign_id AND (${CELL_OF_EMAIL}) = (k.local_date, k.status, k.is_dismissed, k.error_code))`

/**
 * A cell over all mailboxes of a campaign, which an index finds the emails of. Those of single mailboxes and of transactional
 * emails would each be looked for among many others, and are left to the doctor. Changes are asked last, having no index.
 */
export const IS_MISCOUNTED = `CASE WHEN k.mailbox_id = ${NONE} AND k.campaign_id <> ${NONE} AND k.emails <> ${EMAILS_OF_CELL}
  THEN k.emails + ${changesOf('k.workspace_id, k.campaign_id, k.local_date, k.status, k.is_dismissed, k.error_code')} <> ${EMAILS_OF_CELL} END`

/** An email that no cell counts. */
export const HAS_NO_COUNT = `CASE WHEN NOT EXISTS (SELECT FROM email_counts k
    WHERE (k.workspace_id, k.mailbox_id, k.campaign_id, k.local_date, k.status, k.is_dismissed, k.error_code)
      = (e.workspace_id, ${NONE}, coalesce(e.campaign_id, ${NONE}), ${CELL_OF_EMAIL}))
  THEN ${changesOf(`e.workspace_id, coalesce(e.campaign_id, ${NONE}), ${CELL_OF_EMAIL}`)} < 1 END`

/** All cells at once, those of each mailbox too: what is counted less what is there. */
export const MISCOUNTED = `SELECT concat_ws(' ', 'workspace', workspace_id, 'on', local_date, status) AS id FROM (
    SELECT workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, emails::bigint AS counted FROM email_counts
    UNION ALL
    SELECT workspace_id, m.mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, sum(counted) FROM (
      SELECT workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, change AS counted FROM email_count_changes
      UNION ALL
      SELECT e.workspace_id, e.mailbox_id, coalesce(e.campaign_id, ${NONE}), ${CELL_OF_EMAIL}, -count(*) FROM scheduled_emails e GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) one CROSS JOIN LATERAL (VALUES (one.mailbox_id), (${NONE})) AS m(mailbox_id) GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) cells GROUP BY workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code HAVING sum(counted) <> 0`
