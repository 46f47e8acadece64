import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** An email that was really sent, and the local date on which it was. */
export type Sent = { id: string; localDate: string }

/**
 * The next step of each becomes due. Where the step before it went out on its planned date, its time stands; where
 * that was another date, the delay counts from the real one: its place is given back, and it is planned again
 * (version 0), with all that follow it, before it can be claimed.
 */
export async function releaseFollowUps(tx: Sql, sent: readonly Sent[]): Promise<{ due: number; toReplan: number }> {
  if (sent.length === 0) return { due: 0, toReplan: 0 }
  const { rows } = await tx.query<{ due: number; to_replan: number }>(
    `WITH sent AS (
       SELECT p.campaign_prospect_id, p.step_number, p.local_date = s.local_date AS as_planned
       FROM unnest($1::uuid[], $2::date[]) AS s(id, local_date) JOIN scheduled_emails p ON p.id = s.id
     ), waiting AS (
       SELECT e.id, e.workspace_id, e.mailbox_id, e.plan_version, e.local_date, sent.as_planned,
         e.step_number = min(e.step_number) OVER (PARTITION BY e.campaign_prospect_id) AS is_next
       FROM sent JOIN scheduled_emails e ON e.campaign_prospect_id = sent.campaign_prospect_id AND e.step_number > sent.step_number
       WHERE e.status = 'SCHEDULED'
     ), moved AS (
       UPDATE scheduled_emails e SET updated_at = app_now(),
         ready_at = CASE WHEN w.is_next AND w.as_planned THEN e.scheduled_for END,
         plan_version = CASE WHEN w.as_planned THEN e.plan_version ELSE 0 END
       FROM waiting w WHERE e.id = w.id AND e.status = 'SCHEDULED' AND (w.is_next OR NOT w.as_planned)
     ), freed AS (
       INSERT INTO freed_places (workspace_id, mailbox_id, plan_version, local_date, emails)
       SELECT workspace_id, mailbox_id, plan_version, local_date, count(*) FROM waiting
       WHERE NOT as_planned AND plan_version > 0 GROUP BY 1, 2, 3, 4)
     SELECT count(*) FILTER (WHERE is_next AND as_planned)::int AS due, count(*) FILTER (WHERE NOT as_planned)::int AS to_replan FROM waiting`,
    [plainArray(sent.map(({ id }) => id)), plainArray(sent.map(({ localDate }) => localDate))],
  )
  return { due: rows[0]?.due ?? 0, toReplan: rows[0]?.to_replan ?? 0 }
}
