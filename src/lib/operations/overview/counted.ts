/**
 * What the overview counts by time. Each is one statement that answers rows with their moment, so that a count and the
 * list behind it are of the same rows. $1 is the workspace, $2 and $3 the first moment and the one that is too late.
 */
export const COUNTED_BY_TIME = ['sent', 'planned', 'failed', 'bounced', 'replied', 'unsubscribed'] as const

export type CountedByTime = (typeof COUNTED_BY_TIME)[number]

/** Counting what waits stops here: a backlog of a million need not be counted to its last digit. */
export const COUNTED_MAX = 10_000

/**
 * Of running campaigns, mailbox by mailbox, so that each is a range of the index of what is due. What is overdue is due
 * now. What waits for the step before it has no due time yet and goes by its plan, under whichever version that stands.
 */
const PLANNED = `SELECT id, at, due FROM (
    SELECT e.id, greatest(e.ready_at, app_now()) AS at, e.ready_at AS due
    FROM mailboxes m JOIN campaigns c ON c.workspace_id = m.workspace_id AND c.status = 'RUNNING'
    CROSS JOIN LATERAL (
      SELECT id, ready_at FROM scheduled_emails
      WHERE mailbox_id = m.id AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL
        AND ready_at < $3 ORDER BY ready_at LIMIT ${COUNTED_MAX}) e
    WHERE m.workspace_id = $1 AND $3::timestamptz > app_now()
    UNION ALL
    SELECT e.id, e.scheduled_for, e.scheduled_for FROM (
      WITH RECURSIVE versions(version) AS (
        (SELECT plan_version FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED' ORDER BY plan_version LIMIT 1)
        UNION ALL
        SELECT (SELECT plan_version FROM scheduled_emails
          WHERE workspace_id = $1 AND status = 'SCHEDULED' AND plan_version > versions.version ORDER BY plan_version LIMIT 1)
        FROM versions WHERE version IS NOT NULL)
      SELECT version FROM versions WHERE version IS NOT NULL) versions
    CROSS JOIN LATERAL (
      SELECT id, scheduled_for, campaign_id FROM scheduled_emails
      WHERE workspace_id = $1 AND status = 'SCHEDULED' AND plan_version = versions.version
        AND scheduled_for >= greatest($2::timestamptz, app_now()) AND scheduled_for < $3 AND ready_at IS NULL AND blocker IS NULL) e
    JOIN campaigns c ON c.id = e.campaign_id AND c.status = 'RUNNING') planned
  WHERE at >= $2 LIMIT ${COUNTED_MAX}`

/**
 * By the end of the last attempt: later changes of the row (a dismissal) move it to no other day. Campaign by campaign, and
 * each with its attempt by its key: as a join, all attempts there ever were would be read.
 */
const FAILED = `SELECT e.id, coalesce(a.ended_at, e.updated_at) AS at, coalesce(a.ended_at, e.updated_at) AS due FROM (
    SELECT e.* FROM campaigns c CROSS JOIN LATERAL (
      SELECT id, lease_token, updated_at FROM scheduled_emails WHERE campaign_id = c.id AND status = 'PERMANENTLY_FAILED' OFFSET 0) e
    WHERE c.workspace_id = $1
    UNION ALL
    SELECT id, lease_token, updated_at FROM scheduled_emails
    WHERE workspace_id = $1 AND kind = 'TRANSACTIONAL' AND status = 'PERMANENTLY_FAILED') e
  LEFT JOIN LATERAL (SELECT ended_at FROM email_attempts WHERE email_id = e.id AND lease_token = e.lease_token OFFSET 0) a ON true
  WHERE coalesce(a.ended_at, e.updated_at) >= $2 AND coalesce(a.ended_at, e.updated_at) < $3`

/** Who was merged into another counts there. A count reads the index alone. */
const peopleBy = (column: 'bounced_at' | 'replied_at' | 'unsubscribed_at') =>
  `SELECT id, ${column} AS at, ${column} AS due FROM prospects
   WHERE workspace_id = $1 AND ${column} >= $2 AND ${column} < $3 AND merged_into_id IS NULL`

/** Of a mailbox `m`, a range of the index of what was sent. The bounds are SQL. */
const sentBetween = (from: string, until: string) =>
  `FROM scheduled_emails WHERE mailbox_id = m.id AND status = 'SENT' AND sent_at >= ${from} AND sent_at < ${until}`

/** Mailbox by mailbox: as a join, the index would be read from its beginning to its end. */
const sent = (ofCampaign = '') => `SELECT e.id, e.at, e.at AS due FROM mailboxes m
  CROSS JOIN LATERAL (SELECT id, sent_at AS at ${sentBetween('$2', '$3')} ${ofCampaign} OFFSET 0) e
  WHERE m.workspace_id = $1`

/**
 * Hundreds of thousands are sent in thirty days: each stretch of each mailbox is counted where it stands in the index, which
 * takes half as long as to find the stretch of each email. $2 and $3 are the beginnings and ends of the stretches.
 */
export const SENT_IN_STRETCHES = `SELECT s.stretch::int AS stretch, sum(e.count)::int AS count
  FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS s(first, late, stretch)
  CROSS JOIN mailboxes m CROSS JOIN LATERAL (SELECT count(*) ${sentBetween('s.first', 's.late')}) e
  WHERE m.workspace_id = $1 GROUP BY 1`

/** Of one campaign, $4: as its pace counts the last hour, mailbox by mailbox. */
export const SENT_OF_CAMPAIGN = sent('AND campaign_id = $4')

/** `at` decides in which hour or day a row counts; lists are in the order of `due`, which stays as it is. */
export const ROWS_BY_TIME: Record<CountedByTime, string> = {
  sent: sent(),
  planned: PLANNED,
  failed: FAILED,
  bounced: peopleBy('bounced_at'),
  replied: peopleBy('replied_at'),
  unsubscribed: peopleBy('unsubscribed_at'),
}
