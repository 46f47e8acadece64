import { beforeAll, expect, test } from 'vitest'
import { pageSql, timeSql } from '#lib/email-scheduler/read/list-emails.ts'
import { STATUSES } from '#lib/email-scheduler/states.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let campaign: TestCampaign

// Mostly sent and waiting for later, as a queue that has run for a while: then the planner has a reason to choose.
beforeAll(async () => {
  campaign = await makeCampaign(db.pool)
  await inTransaction(db.pool, async (tx) => {
    await makeEmails(tx, campaign, 2_000, 2)
    for (let other = 0; other < 9; other += 1) await makeEmails(tx, await makeCampaign(tx), 2_000, 2)
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now() WHERE step_number = 1 AND get_byte(uuid_send(id), 15) < 200`,
    )
    await tx.query(
      `UPDATE scheduled_emails SET ready_at = app_now() + interval '3 days' WHERE status = 'SCHEDULED' AND get_byte(uuid_send(id), 15) > 5`,
    )
    await tx.query(
      `UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, leased_by = 'w', leased_at = app_now(),
         lease_until = app_now() + interval '1 minute' WHERE status = 'SCHEDULED' AND get_byte(uuid_send(id), 15) = 3`,
    )
    await tx.query(
      `UPDATE scheduled_emails SET status = 'OUTCOME_UNKNOWN', lease_token = 1, marked_token = 1, submit_started_at = app_now()
       WHERE status = 'SCHEDULED' AND get_byte(uuid_send(id), 15) = 4`,
    )
    await tx.query(
      `UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED' WHERE status = 'SCHEDULED' AND get_byte(uuid_send(id), 15) = 5`,
    )
    await tx.query(
      `UPDATE scheduled_emails SET blocker = 'mailbox-connected', ready_at = NULL WHERE status = 'SCHEDULED' AND get_byte(uuid_send(id), 15) > 235`,
    )
    await tx.query(
      `UPDATE scheduled_emails SET plan_version = 2 WHERE status = 'SCHEDULED' AND get_byte(uuid_send(id), 14) <> 0`,
    )
  })
  await db.pool.query('ANALYZE scheduled_emails')
})

async function planOf(sql: string, values: unknown[] = []): Promise<string> {
  const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test.each([
  [
    'a claim reads what is due in order, and nothing else',
    () => `SELECT id FROM scheduled_emails WHERE mailbox_id = '${campaign.mailboxId}' AND campaign_id = '${campaign.campaignId}'
      AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now() ORDER BY ready_at LIMIT 100 FOR UPDATE SKIP LOCKED`,
    'scheduled_emails_due_idx',
  ],
  [
    'recovery reads the leases that ran out',
    () =>
      `SELECT id FROM scheduled_emails WHERE status = 'SENDING' AND lease_until <= app_now() ORDER BY lease_until LIMIT 100`,
    'scheduled_emails_lease_idx',
  ],
  [
    'the unknown tab',
    () => `SELECT * FROM scheduled_emails WHERE workspace_id = '${campaign.workspaceId}' AND status = 'OUTCOME_UNKNOWN'
      AND dismissed_at IS NULL ORDER BY id LIMIT 50`,
    'scheduled_emails_attention_idx',
  ],
  [
    'the count of what failed for good',
    () => `SELECT count(*) FROM scheduled_emails WHERE workspace_id = '${campaign.workspaceId}'
      AND status = 'PERMANENTLY_FAILED' AND dismissed_at IS NULL`,
    'scheduled_emails_attention_idx',
  ],
  [
    'what waits under an older plan',
    () => `SELECT campaign_prospect_id, scheduled_for FROM scheduled_emails WHERE workspace_id = '${campaign.workspaceId}'
      AND status = 'SCHEDULED' AND plan_version < 2 ORDER BY plan_version, scheduled_for LIMIT 500`,
    'scheduled_emails_replan_idx',
  ],
  [
    'stopping a campaign',
    () => `UPDATE scheduled_emails SET blocker = NULL WHERE campaign_id = '${campaign.campaignId}'
      AND status IN ('RETRY_SCHEDULED')`,
    'scheduled_emails_campaign_id_status_',
  ],
  [
    'lifting what a guard has parked',
    () => `SELECT id FROM scheduled_emails WHERE workspace_id = '${campaign.workspaceId}' AND mailbox_id = '${campaign.mailboxId}'
      AND blocker = 'mailbox-connected' AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')`,
    'scheduled_emails_parked_idx',
  ],
  [
    'the steps after one',
    () => `SELECT e.id FROM scheduled_emails p JOIN scheduled_emails e ON e.campaign_prospect_id = p.campaign_prospect_id
      AND e.step_number > p.step_number WHERE p.id = '${campaign.campaignId}'`,
    'scheduled_emails_campaign_prospect_id_step_number_idx',
  ],
])('%s: through its index', async (_name, sql, index) => {
  const plan = await planOf(sql())
  expect(plan).toContain(index)
  expect(plan).not.toContain('Seq Scan')
})

test.each([
  ['of one state', ['SENT'] as const],
  ['of all', STATUSES],
])('a page of a campaign’s emails %s reads no more than it holds', async (_name, statuses) => {
  const plan = await planOf(pageSql(statuses), [campaign.campaignId, campaign.campaignId, 51])
  expect(plan).toMatch(/Index Scan using scheduled_emails_campaign_id_status_id_idx/)
  expect(plan).toMatch(/Index Cond: .*campaign_id = .*status = .*id > /)
  expect(plan).not.toContain('Seq Scan')
  // Sorted is at most a page of each state.
  expect((plan.match(/Sort Key/g) ?? []).length).toBeLessThanOrEqual(1)
})

test.each([
  ['the soonest first', 'soonest', '2030-01-01', false],
  ['the latest first', 'latest', '1990-01-01', false],
  ['of one day', 'soonest', '2030-01-01', true],
] as const)(
  'a page of a campaign’s emails by their times, %s, reads no more than it holds, however many a day has',
  async (_name, order, date, isOfOneDay) => {
    const place = [campaign.campaignId, campaign.campaignId, 51, date, '-infinity', ...(isOfOneDay ? [date] : [])]
    const plan = await planOf(timeSql(STATUSES, order, isOfOneDay), place)
    expect(plan).toMatch(/Index Scan (Backward )?using scheduled_emails_campaign_id_status_time_idx/)
    expect(plan).not.toContain('Seq Scan')
    // Sorted is at most a page of each state.
    expect((plan.match(/Sort {2}\(/g) ?? []).length).toBe(1)
  },
)

test('a claim needs no sort: the index is in the order in which emails are due', async () => {
  const plan = await planOf(
    `SELECT id FROM scheduled_emails WHERE mailbox_id = '${campaign.mailboxId}' AND campaign_id = '${campaign.campaignId}'
     AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now() ORDER BY ready_at LIMIT 100`,
  )
  expect(plan).not.toContain('Sort')
  expect(plan).toMatch(/Index Cond: .*ready_at <= app_now\(\)/)
})
