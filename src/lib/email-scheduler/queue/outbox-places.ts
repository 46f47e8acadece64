import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { cellsOf } from './email-counts.ts'
import { everything, NO_ID, type OutboxFilter, type Source, sourceOf, wanted } from './outbox-source.ts'

/** Where a filter finds something: campaigns, and where few emails stand around it, the very states and days. */
export type Places = {
  found: number
  campaignIds: string[]
  near: {
    campaignIds: string[]
    statuses: ScheduledEmailStatus[]
    dates: string[]
    transactional: ScheduledEmailStatus[]
  } | null
}

/** How many emails are looked at one by one, of the days and states on which the filter finds something at all. */
const NEAR_MAX = 10_000

/** The counts as a map of the queue: where there is no index for what is asked, they tell where to look. */
export async function placesOf(sql: Sql, workspaceId: string, filter: OutboxFilter): Promise<Places> {
  const { text, values } = cellsOf(workspaceId, filter)
  const states = wanted(filter).map(({ status, isDismissed }) =>
    isDismissed === null ? `status = '${status}'` : `(status = '${status}' AND is_dismissed = ${isDismissed})`,
  )
  type Row = Pick<Places, 'found' | 'campaignIds'> & {
    near: number
    ids: string[] | null
    statuses: ScheduledEmailStatus[] | null
    dates: string[] | null
    transactional: ScheduledEmailStatus[]
  }
  const { rows } = await sql.query<Row>(
    `WITH cell AS MATERIALIZED (
       SELECT campaign_id, status, local_date, sum(emails)::int AS emails FROM (${text}) cells
       WHERE ${states.length === 0 ? 'false' : `(${states.join(' OR ')})`} GROUP BY 1, 2, 3 HAVING sum(emails) > 0
     ), around AS MATERIALIZED (
       SELECT campaign_id, status, local_date, sum(emails)::int AS emails FROM email_counts
       WHERE workspace_id = $1 AND mailbox_id = '${NO_ID}' GROUP BY 1, 2, 3
     ), near AS (SELECT coalesce(sum(emails), 0)::int AS emails FROM (
       SELECT a.emails FROM around a JOIN cell USING (campaign_id, status, local_date) WHERE campaign_id <> '${NO_ID}'
       UNION ALL SELECT emails FROM around a WHERE campaign_id = '${NO_ID}'
         AND status IN (SELECT status FROM cell WHERE campaign_id = '${NO_ID}')) all_of_them)
     SELECT coalesce(sum(emails), 0)::int AS found, (SELECT emails FROM near) AS near,
       coalesce(array_agg(DISTINCT campaign_id) FILTER (WHERE campaign_id <> '${NO_ID}'), '{}') AS "campaignIds",
       coalesce(array_agg(DISTINCT status::text) FILTER (WHERE campaign_id = '${NO_ID}'), '{}') AS transactional,
       CASE WHEN (SELECT emails FROM near) <= ${NEAR_MAX} THEN array_agg(campaign_id) FILTER (WHERE campaign_id <> '${NO_ID}') END AS ids,
       CASE WHEN (SELECT emails FROM near) <= ${NEAR_MAX} THEN array_agg(status::text) FILTER (WHERE campaign_id <> '${NO_ID}') END AS statuses,
       CASE WHEN (SELECT emails FROM near) <= ${NEAR_MAX} THEN array_agg(local_date::text) FILTER (WHERE campaign_id <> '${NO_ID}') END AS dates
     FROM cell`,
    values,
  )
  const [row] = rows
  if (!row) return { found: 0, campaignIds: [], near: null }
  const { found, campaignIds, near, ids, statuses, dates, transactional } = row
  if (near > NEAR_MAX) return { found, campaignIds, near: null }
  return {
    ...{ found, campaignIds },
    near: { campaignIds: ids ?? [], statuses: statuses ?? [], dates: dates ?? [], transactional },
  }
}

/** The filter as a condition of emails `e`, its values numbered from `first` on. */
type Matching = (first: number) => { condition: string; values: unknown[] }

/** A range in each of more campaigns than this costs more than all emails of the workspace do, newest first. */
const FEW_CAMPAIGNS = 10

/**
 * Where no index knows what is asked for, the counts tell where it is (`places`). Few emails around it: all of them, so
 * that a page is full or the last. Many: those of its campaigns or of the workspace, newest first, a number at a time.
 */
export function sourceNear(filter: OutboxFilter, { near, campaignIds }: Places, matching: Matching): Source {
  if (near) {
    const { condition, values } = matching(7)
    const { campaignIds: ids, statuses, dates, transactional: without } = near
    const part = `SELECT e.id FROM unnest($3::uuid[], $4::scheduled_email_status[], $5::date[]) AS place(campaign_id, status, local_date)
      CROSS JOIN LATERAL (SELECT e.id FROM scheduled_emails e WHERE e.campaign_id = place.campaign_id AND e.status = place.status
        AND e.local_date = place.local_date AND e.id < $2::uuid AND ${condition} OFFSET 0) e
      UNION ALL SELECT e.id FROM unnest($6::scheduled_email_status[]) AS place(status)
      CROSS JOIN LATERAL (SELECT e.id FROM scheduled_emails e WHERE e.workspace_id = $1 AND e.status = place.status
        AND e.kind = 'TRANSACTIONAL' AND e.id < $2::uuid AND ${condition} OFFSET 0) e`
    return { values: [ids, statuses, dates, without, ...values], parts: [() => part] }
  }
  const isOfAttention = filter.part === 'decide' || filter.status === 'OUTCOME_UNKNOWN'
  if (isOfAttention || filter.campaignId || filter.kind === 'TRANSACTIONAL' || campaignIds.length <= FEW_CAMPAIGNS)
    return sourceOf(filter, campaignIds)
  return { values: [], parts: [everything()] }
}
