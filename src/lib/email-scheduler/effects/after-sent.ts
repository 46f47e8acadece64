import { appendEvents } from '#lib/events/append-events.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { amongIds, plainArray } from '#lib/platform/sql-array.ts'

type SentRow = {
  emailId: string
  workspaceId: string
  prospectId: string
  campaignId: string
  sequenceId: string
  stepNumber: number
  sentAt: Date
}

/**
 * What follows from emails that have just become SENT. The next step of each becomes due: where this one went out on
 * its planned date, at its planned time; where that was another date, the delay counts from the real one, so it gives its
 * place back and is planned again (version 0), with all that follow it, before it can be claimed. An email that left on
 * another date than planned takes a place there and leaves its own. And it is written down as an event of the person.
 */
export async function afterSent(tx: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await tx.query<SentRow>(
    prepared(`WITH sent AS (
       SELECT id, campaign_prospect_id, step_number, workspace_id, mailbox_id, plan_version, local_date,
         coalesce(reserved_date, local_date) AS sent_on, prospect_id, campaign_id, sequence_id, sent_at
       FROM scheduled_emails WHERE id = ${amongIds('$1', ids)} AND kind = 'CAMPAIGN'
     ), locked AS MATERIALIZED (
       SELECT e.id, e.campaign_prospect_id, e.step_number, e.workspace_id, e.mailbox_id, e.plan_version, e.local_date,
         sent.local_date = sent.sent_on AS as_planned
       FROM sent JOIN scheduled_emails e ON e.campaign_prospect_id = sent.campaign_prospect_id AND e.step_number > sent.step_number
       WHERE e.status = 'SCHEDULED' ORDER BY e.id FOR NO KEY UPDATE OF e
     ), waiting AS (
       SELECT *, step_number = min(step_number) OVER (PARTITION BY campaign_prospect_id) AS is_next FROM locked
     ), moved AS (
       UPDATE scheduled_emails e SET updated_at = app_now(),
         ready_at = CASE WHEN w.is_next AND w.as_planned THEN e.scheduled_for END,
         plan_version = CASE WHEN w.as_planned THEN e.plan_version ELSE 0 END
       FROM waiting w WHERE e.id = w.id AND e.status = 'SCHEDULED' AND (w.is_next OR NOT w.as_planned)
     ), dated AS (
       UPDATE scheduled_emails e SET local_date = sent.sent_on FROM sent WHERE e.id = sent.id AND sent.local_date <> sent.sent_on
     ), freed AS (
       INSERT INTO freed_places (workspace_id, mailbox_id, plan_version, local_date, emails)
       SELECT workspace_id, mailbox_id, plan_version, local_date, sum(emails) FROM (
         SELECT workspace_id, mailbox_id, plan_version, local_date, 1 AS emails FROM waiting WHERE NOT as_planned
         UNION ALL SELECT workspace_id, mailbox_id, plan_version, local_date, 1 FROM sent WHERE local_date <> sent_on
         UNION ALL SELECT workspace_id, mailbox_id, plan_version, sent_on, -1 FROM sent WHERE local_date <> sent_on
       ) places WHERE plan_version > 0 GROUP BY 1, 2, 3, 4
     )
     SELECT id AS "emailId", workspace_id AS "workspaceId", prospect_id AS "prospectId", campaign_id AS "campaignId",
       sequence_id AS "sequenceId", step_number AS "stepNumber", sent_at AS "sentAt" FROM sent`),
    [plainArray(ids)],
  )
  await appendEvents(
    tx,
    rows.map(({ sentAt, ...email }) => ({
      ...email,
      type: 'SENT',
      occurredAt: sentAt,
      dedupeKey: `sent:${email.emailId}`,
    })),
  )
}
