import { beforeAll, describe, expect, test } from 'vitest'
import { addUpCounts } from '#lib/email-scheduler/queue/add-up-counts.ts'
import { countOutbox, countPart } from '#lib/email-scheduler/queue/count-outbox.ts'
import { listOutbox } from '#lib/email-scheduler/queue/list-outbox.ts'
import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { readDashboard } from '#lib/operations/dashboard.ts'
import { WALK_NAMES } from '#lib/operations/doctor/walks.ts'
import { readMetrics } from '#lib/operations/metrics.ts'
import { WORKSPACE_LEDGERS } from '#lib/operations/promise/ledgers.ts'
import { nextRows, sameRows } from '#lib/operations/promise/step.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { plansOf, watched } from '#tests/support/server/watched.ts'

const db = testDatabase()
let campaign: TestCampaign
/** On which few emails stand. */
const FEW_DATE = '2026-03-01'

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
    await tx.query(
      `UPDATE scheduled_emails SET local_date = $2 WHERE id IN (
         SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SENT' ORDER BY id LIMIT 40)`,
      [campaign.workspaceId, FEW_DATE],
    )
    // Each has a history, as in life: an empty one would be read whole.
    await tx.query(
      `INSERT INTO email_events (email_id, to_status) SELECT id, 'SCHEDULED' FROM scheduled_emails, generate_series(1, 3)`,
    )
  })
  // Written past the triggers.
  await db.pool.query('SELECT recount_emails(), recount_people()')
  await vacuum(
    db.pool,
    'scheduled_emails',
    'email_events',
    'email_counts',
    'campaigns',
    'campaign_prospects',
    'prospects',
  )
})

describe('a page of the queue comes through its index, however many emails there are', () => {
  test.each<[string, () => OutboxFilter, string]>([
    ['all', () => ({}), 'scheduled_emails_workspace_id_id_idx'],
    ['sent', () => ({ status: 'SENT' }), 'scheduled_emails_campaign_id_status'],
    ['waiting', () => ({ status: 'SCHEDULED' }), 'scheduled_emails_campaign_id_status'],
    ['failed', () => ({ status: 'PERMANENTLY_FAILED' }), 'scheduled_emails_attention_idx'],
    ['unknown', () => ({ status: 'OUTCOME_UNKNOWN' }), 'scheduled_emails_attention_idx'],
    ['of a campaign', () => ({ campaignId: campaign.campaignId }), 'scheduled_emails_campaign_id_status'],
    ['transactional', () => ({ kind: 'TRANSACTIONAL' }), 'scheduled_emails_transactional_idx'],
    [
      'by key',
      () => ({ search: { text: 'tx:1:2', hash: () => Buffer.alloc(32) } }),
      'scheduled_emails_idempotency_key_key',
    ],
  ])('%s', async (_name, filter, index) => {
    const plans = await plansOf(db.pool, (sql) => listOutbox(sql, campaign.workspaceId, filter(), { limit: 50 }))
    expect(plans[0]).toContain(index)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
  })
})

describe('what no index serves is led to its place by the counts', () => {
  test('few around it: all of them, by campaign, state and day, in one full page', async () => {
    const filter: OutboxFilter = { part: 'sent', mailboxId: campaign.mailboxId, fromDate: FEW_DATE }
    const plans = await plansOf(db.pool, (sql) => listOutbox(sql, campaign.workspaceId, filter, { limit: 50 }))
    expect(plans[0]).toContain('email_counts')
    expect(plans[1]).toContain('scheduled_emails_campaign_id_status_time_idx')
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
    const page = await listOutbox(db.pool, campaign.workspaceId, filter, { limit: 50 })
    expect([page.emails.length, page.nextCursor]).toEqual([40, null])
  })

  test('nothing anywhere: no email is looked at', async () => {
    const { sql, asked } = watched(db.pool)
    const page = await listOutbox(sql, campaign.workspaceId, { part: 'sent', errorCode: 'HARD_BOUNCE' }, { limit: 50 })
    expect(page).toMatchObject({ emails: [], nextCursor: null })
    expect(asked.length).toBeLessThanOrEqual(4)
  })

  test('a count is a range of the cells, whatever is asked for', async () => {
    for (const filter of [{}, { mailboxId: campaign.mailboxId }, { errorCode: 'HARD_BOUNCE', fromDate: FEW_DATE }]) {
      const { sql, asked } = watched(db.pool)
      await countOutbox(sql, campaign.workspaceId, filter)
      expect(asked).toHaveLength(1)
      const plan = await planAsOfMillions(asked[0]?.text ?? '', asked[0]?.values ?? [])
      expect(plan).toMatch(/Index (Only )?Scan using email_counts_pkey/)
      expect(plan).not.toContain('scheduled_emails')
    }
  })

  test('adding up takes what one change appended', async () => {
    await db.pool.query(
      `UPDATE scheduled_emails SET local_date = '2026-04-01' WHERE id = (
         SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED' ORDER BY id LIMIT 1)`,
      [campaign.workspaceId],
    )
    // Out of one cell and into another.
    expect(await addUpCounts(db.pool)).toBe(2)
  })
})

describe('the parts of the queue, and what a page asks for besides', () => {
  test.each<[string, () => OutboxFilter]>([
    ['decide', () => ({ part: 'decide' })],
    ['waiting', () => ({ part: 'waiting' })],
    ['sending', () => ({ part: 'sending' })],
    ['sent', () => ({ part: 'sent' })],
    ['cancelled', () => ({ part: 'cancelled' })],
    ['failed for good, of a campaign', () => ({ part: 'decide', campaignId: campaign.campaignId })],
    ['transactional ones that wait', () => ({ part: 'waiting', kind: 'TRANSACTIONAL' })],
    ['by error, from a mailbox', () => ({ part: 'decide', errorCode: 'HARD_BOUNCE', mailboxId: campaign.mailboxId })],
    ['on a day, of a campaign', () => ({ part: 'sent', fromDate: '2026-01-01', campaignId: campaign.campaignId })],
    ['of a person', () => ({ part: 'waiting', prospectId: campaign.workspaceId })],
  ])('%s: lists and counts read no email that no index named', async (_name, filter) => {
    const plans = await plansOf(db.pool, async (sql) => {
      await listOutbox(sql, campaign.workspaceId, filter(), { limit: 50 })
      await countPart(sql, campaign.workspaceId, filter())
    })
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
  })

  test('the dismissed are listed out of an index of their own', async () => {
    const plans = await plansOf(db.pool, (sql) =>
      listOutbox(sql, campaign.workspaceId, { part: 'cancelled' }, { limit: 50 }),
    )
    expect(plans[0]).toContain('scheduled_emails_dismissed_list_idx')
  })
})

test('dashboard and metrics read no email, only indexes of them', async () => {
  const plans = await plansOf(db.pool, async (sql) => {
    await readDashboard(sql, campaign.workspaceId)
    await readMetrics(sql)
  })
  for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
})

describe('a step of looking whether the promise holds is a range of a primary key, and asks indexes of each row', () => {
  const walks = WALK_NAMES.filter((name) => name !== 'installation')

  test.each(walks)('%s', async (walk) => {
    const first = await db.pool.query<{ last: string | null }>(nextRows(walk, null, 20))
    const key = first.rows[0]?.last ?? `${campaign.mailboxId}/2026-01-01`
    for (const { text, values } of [nextRows(walk, null, 500), nextRows(walk, key, 500), sameRows(walk, [key])]) {
      const plan = await planAsOfMillions(text, values)
      // What ticks have not added up is a few rows, looked through only where a count differs.
      expect(plan.replaceAll('Seq Scan on email_count_changes', '')).not.toContain('Seq Scan')
      // One that is asked once and hashed has read a whole table.
      expect(plan).not.toContain('hashed SubPlan')
      expect(plan).toMatch(/Index (Only )?Scan using \w+_pkey/)
      if (walk.endsWith('-days')) expect(plan).toContain('scheduled_emails_sent_idx')
    }
  })

  test('the ledgers of a workspace read indexes alone', async () => {
    const plan = await planAsOfMillions(WORKSPACE_LEDGERS, [campaign.workspaceId])
    expect(plan).toMatch(/Index Only Scan using campaign_prospects_ledger_idx/)
    expect(plan).toMatch(/Index Only Scan using scheduled_emails_campaign_id_status/)
    expect(plan).not.toContain('Seq Scan')
  })
})

/** Where reading a whole table is no choice, nor sorting what an index has in order: small tables tempt to both. */
function planAsOfMillions(text: string, values: unknown[]): Promise<string> {
  return inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off')
    await tx.query('SET LOCAL enable_bitmapscan = off')
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}
