import { beforeAll, describe, expect, test } from 'vitest'
import { listOutbox, type OutboxFilter } from '#lib/email-scheduler/list-outbox.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { readDashboard } from '#lib/worker/dashboard.ts'
import { readMetrics } from '#lib/worker/metrics.ts'
import { testDatabase } from '#tests/support/database.ts'
import { makeCampaign, makeEmails, type TestCampaign } from '#tests/support/queue.ts'

const db = testDatabase()
let campaign: TestCampaign

// States stand in runs, as in life: what was sent is old, and what waits is new. Statistics do not know that.
beforeAll(async () => {
  campaign = await makeCampaign(db.pool)
  await inTransaction(db.pool, async (tx) => {
    await makeEmails(tx, campaign, 4_000)
    for (let other = 0; other < 5; other += 1) await makeEmails(tx, await makeCampaign(tx), 4_000)
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now() WHERE id IN (
         SELECT id FROM scheduled_emails WHERE workspace_id = $1 ORDER BY id LIMIT 1500)`,
      [campaign.workspaceId],
    )
    await tx.query(
      `UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED', ready_at = NULL WHERE id IN (
         SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED' ORDER BY id LIMIT 200)`,
      [campaign.workspaceId],
    )
  })
  await db.pool.query('VACUUM ANALYZE scheduled_emails, campaigns, campaign_prospects, prospects')
})

/** The plans of everything that `work` asks. */
async function plansOf(work: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const asked: { text: string; values: unknown[] }[] = []
  const watched = {
    query: (query: string | { text: string }, values: unknown[] = []) => {
      asked.push({ text: typeof query === 'string' ? query : query.text, values })
      return db.pool.query(query, values)
    },
  } as unknown as Sql
  await work(watched)
  return Promise.all(
    asked.map(async ({ text, values }) => {
      const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }),
  )
}

describe('a page of the queue comes through its index, however many emails there are', () => {
  test.each<[string, () => OutboxFilter, string]>([
    ['all', () => ({}), 'scheduled_emails_workspace_id_id_idx'],
    ['sent', () => ({ status: 'SENT' }), 'scheduled_emails_campaign_id_status'],
    ['waiting', () => ({ status: 'SCHEDULED' }), 'scheduled_emails_campaign_id_status'],
    ['failed', () => ({ status: 'PERMANENTLY_FAILED' }), 'scheduled_emails_attention_idx'],
    ['unknown', () => ({ status: 'OUTCOME_UNKNOWN' }), 'scheduled_emails_attention_idx'],
    ['of a campaign', () => ({ campaignId: campaign.campaignId }), 'scheduled_emails_campaign_id_status'],
    ['transactional', () => ({ kind: 'TRANSACTIONAL' }), 'scheduled_emails_transactional_idx'],
    ['of a mailbox', () => ({ mailboxId: campaign.mailboxId }), 'scheduled_emails_workspace_id_id_idx'],
    [
      'by key',
      () => ({ search: { text: 'tx:1:2', hash: () => Buffer.alloc(32) } }),
      'scheduled_emails_idempotency_key_key',
    ],
  ])('%s', async (_name, filter, index) => {
    const plans = await plansOf((sql) => listOutbox(sql, campaign.workspaceId, filter(), { limit: 50 }))
    expect(plans[0]).toContain(index)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
  })
})

test('dashboard and metrics read no email, only indexes of them', async () => {
  const plans = await plansOf(async (sql) => {
    await readDashboard(sql, campaign.workspaceId)
    await readMetrics(sql)
  })
  for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
})
