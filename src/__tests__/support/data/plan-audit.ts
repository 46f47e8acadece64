import type { Sql } from '#lib/platform/database.ts'

/**
 * What is wrong with a workspace's plan as it stands in the tables, a line each: counted from the rows alone, with
 * none of the planner's code.
 */
export async function auditPlan(sql: Sql, workspaceId: string): Promise<string[]> {
  const findings: string[] = []
  const check = async (what: string, text: string) => {
    const { rows } = await sql.query(text, [workspaceId])
    for (const row of rows) findings.push(`${what}: ${JSON.stringify(row)}`)
  }
  await check(
    'a key that is not exactly once',
    `SELECT idempotency_key FROM scheduled_emails WHERE workspace_id = $1 GROUP BY 1 HAVING count(*) <> 1`,
  )
  await check(
    'planned enrolments × steps ≠ emails',
    `SELECT c.id, c.planned * s.steps AS wanted, (SELECT count(*) FROM scheduled_emails e WHERE e.campaign_id = c.id) AS there
     FROM (SELECT campaigns.id, sequence_id, count(*) FILTER (WHERE planned_at IS NOT NULL AND state IN ('ACTIVE', 'FINISHED')) AS planned
           FROM campaigns LEFT JOIN campaign_prospects cp ON cp.campaign_id = campaigns.id WHERE campaigns.workspace_id = $1 GROUP BY 1, 2) c
     CROSS JOIN LATERAL (SELECT count(*) AS steps FROM sequence_steps st WHERE st.sequence_id = c.sequence_id) s
     WHERE c.planned * s.steps <> (SELECT count(*) FROM scheduled_emails e WHERE e.campaign_id = c.id)`,
  )
  await check(
    'a local date that is not the clock’s',
    `SELECT e.id FROM scheduled_emails e JOIN sending_settings z USING (workspace_id)
     WHERE workspace_id = $1 AND e.status = 'SCHEDULED' AND e.local_date <> (e.scheduled_for AT TIME ZONE z.time_zone)::date`,
  )
  await check(
    'more than the quota on a date',
    `SELECT local_date, count(*) FROM scheduled_emails e JOIN sending_settings s USING (workspace_id)
     WHERE workspace_id = $1 AND status = 'SCHEDULED' GROUP BY 1, s.daily_quota HAVING count(*) > s.daily_quota`,
  )
  await check(
    'more than the mailbox’s limit on a date',
    `SELECT e.mailbox_id, local_date, count(*) FROM scheduled_emails e JOIN mailboxes m ON m.id = e.mailbox_id
     WHERE e.workspace_id = $1 AND e.status = 'SCHEDULED' GROUP BY 1, 2, m.daily_limit HAVING count(*) > m.daily_limit`,
  )
  await check(
    'closer than its jitter to the email before it',
    `SELECT id FROM (SELECT id, scheduled_for - lag(scheduled_for) OVER (PARTITION BY mailbox_id ORDER BY scheduled_for) AS gap, jitter_seconds
       FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED') e WHERE gap < jitter_seconds * interval '1 second'`,
  )
  await check(
    'a follow-up before its predecessor’s delay is over',
    `SELECT e.id FROM scheduled_emails e JOIN scheduled_emails p ON p.campaign_prospect_id = e.campaign_prospect_id AND p.step_number = e.step_number - 1
     JOIN sequence_steps s ON s.sequence_id = e.sequence_id AND s.step_number = e.step_number
     JOIN sending_settings z ON z.workspace_id = e.workspace_id
     WHERE e.workspace_id = $1 AND e.status = 'SCHEDULED' AND e.local_date < coalesce((p.sent_at AT TIME ZONE z.time_zone)::date, p.local_date) + s.delay_days`,
  )
  await check(
    'a thread that changes its mailbox',
    `SELECT campaign_prospect_id FROM scheduled_emails WHERE workspace_id = $1 GROUP BY 1 HAVING count(DISTINCT mailbox_id) > 1`,
  )
  await check(
    'planned days that are not what is planned',
    `SELECT d.mailbox_id, d.local_date, d.emails, e.emails AS counted
     FROM (SELECT d.mailbox_id, d.local_date, d.emails - coalesce((SELECT sum(f.emails) FROM freed_places f
             WHERE f.mailbox_id = d.mailbox_id AND f.plan_version = d.plan_version AND f.local_date = d.local_date), 0) AS emails
           FROM planned_days d JOIN workspace_plans p ON p.workspace_id = d.workspace_id AND p.version = d.plan_version WHERE d.workspace_id = $1) d
     FULL JOIN (SELECT mailbox_id, local_date, count(*) AS emails FROM scheduled_emails JOIN workspace_plans p USING (workspace_id)
           WHERE workspace_id = $1 AND status = 'SCHEDULED' AND plan_version = p.version AND blocker IS NULL GROUP BY 1, 2) e USING (mailbox_id, local_date)
     WHERE coalesce(d.emails, 0) <> coalesce(e.emails, 0)`,
  )
  await check(
    'what waits under an older plan',
    `SELECT id FROM scheduled_emails e JOIN workspace_plans p USING (workspace_id) WHERE workspace_id = $1 AND status = 'SCHEDULED' AND plan_version <> p.version`,
  )
  return findings
}
