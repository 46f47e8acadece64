import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { enrol, makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const log = pino({ level: 'silent' })
const always = { log, mayContinue: () => true }

async function campaignOf(
  prospects: number,
  delays: number[],
  options: Parameters<typeof makeWorkspace>[1] & { batchSize?: number } = {},
): Promise<TestCampaign> {
  const { workspaceId } = await makeWorkspace(db.pool, options)
  const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays, batchSize: options.batchSize })
  await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, prospects))
  return campaign
}

const schedule = (campaign: TestCampaign, pool = db.pool) => scheduleEmailsForCampaign(pool, campaign, always)

async function plannedTimes(campaign: TestCampaign) {
  const { rows } = await db.pool.query<{ key: string; at: Date; date: string }>(
    `SELECT idempotency_key AS key, scheduled_for AS at, local_date AS date FROM scheduled_emails
     WHERE campaign_id = $1 AND status = 'SCHEDULED' ORDER BY scheduled_for, idempotency_key`,
    [campaign.campaignId],
  )
  return rows
}

describe('scheduling a campaign', () => {
  test('puts every step of every enrolment into the queue once, within every limit', async () => {
    const campaign = await campaignOf(230, [0, 3, 4])
    expect(await schedule(campaign)).toEqual({ scheduled: 690, skipped: 0, errors: [], remaining: 0 })
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
    const { rows } = await db.pool.query(
      `SELECT step_number, count(*)::int, count(ready_at)::int AS claimable FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1 ORDER BY 1`,
      [campaign.campaignId],
    )
    expect(rows).toEqual([
      { step_number: 1, count: 230, claimable: 230 },
      { step_number: 2, count: 230, claimable: 0 },
      { step_number: 3, count: 230, claimable: 0 },
    ])
  })

  test('a second time throws nothing, adds nothing, and counts everything as skipped', async () => {
    const campaign = await campaignOf(60, [0, 2])
    await schedule(campaign)
    const before = await plannedTimes(campaign)
    expect(await schedule(campaign)).toEqual({ scheduled: 0, skipped: 120, errors: [], remaining: 0 })
    expect(await plannedTimes(campaign)).toEqual(before)
  })

  test('from eight connections at once gives each key exactly once', async () => {
    const campaign = await campaignOf(400, [0, 1, 5], { batchSize: 20 })
    const pools = Array.from({ length: 8 }, () => createPool(db.url, 2))
    const results = await Promise.all(pools.map((pool) => schedule(campaign, pool)))
    await Promise.all(pools.map((pool) => pool.end()))
    expect(results.reduce((sum, { scheduled }) => sum + scheduled, 0)).toBe(1200)
    for (const { scheduled, skipped, errors, remaining } of results) {
      expect(errors).toEqual([])
      expect(remaining).toBe(0)
      expect(scheduled + skipped).toBe(1200)
    }
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
  })

  test('stops when its time is up, says what remains, and goes on from there', async () => {
    const campaign = await campaignOf(100, [0, 1], { batchSize: 30 })
    let batches = 2
    const first = await scheduleEmailsForCampaign(db.pool, campaign, { log, mayContinue: () => batches-- > 0 })
    expect(first).toEqual({ scheduled: 120, skipped: 0, errors: [], remaining: 40 })
    expect(await schedule(campaign)).toEqual({ scheduled: 80, skipped: 120, errors: [], remaining: 0 })
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
  })

  test('finds a late enrolment, wherever its id sorts', async () => {
    const campaign = await campaignOf(30, [0])
    await schedule(campaign)
    const [late] = await makeProspects(db.pool, campaign.workspaceId, 1)
    await db.pool.query(
      `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id) VALUES ('00000000-0000-7000-8000-000000000001', $1, $2, $3)`,
      [campaign.workspaceId, campaign.campaignId, late],
    )
    expect(await schedule(campaign)).toMatchObject({ scheduled: 1, remaining: 0 })
  })

  test('two campaigns of one workspace share its capacity, and neither moves what is planned', async () => {
    const one = await campaignOf(150, [0, 2])
    const two = await makeCampaign(db.pool, { in: one, delays: [0, 2] })
    await enrol(db.pool, two, await makeProspects(db.pool, one.workspaceId, 150))
    await schedule(one)
    const before = await plannedTimes(one)
    await schedule(two)
    expect(await plannedTimes(one)).toEqual(before)
    expect(await auditPlan(db.pool, one.workspaceId)).toEqual([])
  })

  test('a second campaign over the same sequence skips whom the first has taken', async () => {
    const one = await campaignOf(0, [0, 2])
    const two = await makeCampaign(db.pool, { in: one, sequenceId: one.sequenceId })
    const prospects = await makeProspects(db.pool, one.workspaceId, 40)
    await enrol(db.pool, one, prospects.slice(0, 25))
    await enrol(db.pool, two, prospects)
    await schedule(one)
    expect(await schedule(two)).toMatchObject({ scheduled: 30, errors: [], remaining: 0 })
    const { rows } = await db.pool.query(
      'SELECT reason, count(*)::int FROM campaign_prospects WHERE campaign_id = $1 AND state = $2 GROUP BY 1',
      [two.campaignId, 'SKIPPED'],
    )
    expect(rows).toEqual([
      { reason: 'Another campaign has already taken the person through this sequence.', count: 25 },
    ])
    expect(await auditPlan(db.pool, one.workspaceId)).toEqual([])
  })

  test('leaves out who unsubscribed, bounced, replied or was archived, with the reason', async () => {
    const campaign = await campaignOf(0, [0])
    const prospects = await makeProspects(db.pool, campaign.workspaceId, 5)
    await enrol(db.pool, campaign, prospects)
    for (const [index, column] of ['unsubscribed_at', 'bounced_at', 'replied_at', 'archived_at'].entries()) {
      await db.pool.query(`UPDATE prospects SET ${column} = app_now() WHERE id = $1`, [prospects[index]])
    }
    expect(await schedule(campaign)).toEqual({ scheduled: 1, skipped: 4, errors: [], remaining: 0 })
    const { rows } = await db.pool.query(
      `SELECT reason FROM campaign_prospects WHERE campaign_id = $1 AND state = 'SKIPPED' ORDER BY 1`,
      [campaign.campaignId],
    )
    expect(rows.map(({ reason }) => reason)).toEqual([
      'Email to the person bounced before.',
      'The person has replied.',
      'The person has unsubscribed.',
      'The person is archived.',
    ])
  })

  test('leaves out who is suppressed, by address or by domain', async () => {
    const campaign = await campaignOf(0, [0])
    const [byAddress = '', byDomain = '', other = ''] = await makeProspects(db.pool, campaign.workspaceId, 3)
    await db.pool.query(`UPDATE prospects SET email = 'x@mail.blocked.test' WHERE id = $1`, [byDomain])
    await db.pool.query(
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source)
       SELECT gen_random_uuid(), workspace_id, 'ADDRESS'::suppression_kind, email, email_hash, 'PERSON'::suppression_source
       FROM prospects WHERE id = $1
       UNION ALL SELECT gen_random_uuid(), workspace_id, 'DOMAIN', 'blocked.test', '\\x00', 'PERSON' FROM prospects WHERE id = $1`,
      [byAddress],
    )
    await enrol(db.pool, campaign, [byAddress, byDomain, other])
    expect(await schedule(campaign)).toMatchObject({ scheduled: 1, errors: [], remaining: 0 })
    const { rows } = await db.pool.query(
      `SELECT count(*)::int FROM campaign_prospects WHERE campaign_id = $1 AND state = 'SKIPPED' AND reason LIKE '%suppression list%'`,
      [campaign.campaignId],
    )
    expect(rows).toEqual([{ count: 2 }])
  })

  test.each([
    ['is paused', `UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, /not running/],
    [
      'has no step',
      `DELETE FROM sequence_steps WHERE sequence_id = (SELECT sequence_id FROM campaigns WHERE id = $1)`,
      /no steps/,
    ],
    [
      'has no mailbox',
      `UPDATE mailboxes SET status = 'STOPPED' WHERE workspace_id = (SELECT workspace_id FROM campaigns WHERE id = $1)`,
      /no mailbox/,
    ],
    [
      'has no sending day',
      `UPDATE sending_settings SET sending_days = '{}' WHERE workspace_id = (SELECT workspace_id FROM campaigns WHERE id = $1)`,
      /no day of the week/,
    ],
  ])('one that %s is told so, and nothing is lost', async (_what, change, sentence) => {
    const campaign = await campaignOf(10, [0])
    await db.pool.query(change, [campaign.campaignId])
    expect(await schedule(campaign)).toEqual({
      scheduled: 0,
      skipped: 0,
      errors: [expect.stringMatching(sentence)],
      remaining: 10,
    })
  })

  test("another workspace's campaign is not found", async () => {
    const mine = await campaignOf(5, [0])
    const other = await makeWorkspace(db.pool)
    expect(await schedule({ ...mine, workspaceId: other.workspaceId })).toEqual({
      scheduled: 0,
      skipped: 0,
      errors: ['There is no such campaign.'],
      remaining: 0,
    })
  })

  test('a stop in the middle waits for the batch, cancels what it inserted, and no batch follows', async () => {
    const campaign = await campaignOf(300, [0, 2], { batchSize: 10 })
    const scheduling = schedule(campaign)
    await new Promise((resolve) => setTimeout(resolve, 60))
    await inTransaction(db.pool, async (tx) => {
      await tx.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaign.campaignId])
      await cancelWaiting(tx, campaign.workspaceId, { campaignId: campaign.campaignId }, 'CAMPAIGN_STOPPED')
    })
    const { errors } = await scheduling
    expect(errors).toEqual([expect.stringMatching(/not running/)])
    expect(await plannedTimes(campaign)).toEqual([])
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
  })

  test('places that a stop gives back are used by the next batch', async () => {
    const one = await campaignOf(100, [0], { settings: { daily_quota: 20 } })
    await schedule(one)
    const [firstDate] = (await plannedTimes(one)).map(({ date }) => date)
    await inTransaction(db.pool, async (tx) => {
      await tx.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [one.campaignId])
      await cancelWaiting(tx, one.workspaceId, { campaignId: one.campaignId }, 'CAMPAIGN_STOPPED')
    })
    const two = await makeCampaign(db.pool, { in: one, delays: [0] })
    await enrol(db.pool, two, await makeProspects(db.pool, one.workspaceId, 5))
    await schedule(two)
    const dates = new Set((await plannedTimes(two)).map(({ date }) => date))
    expect([...dates].every((date) => date >= (firstDate ?? '') && date <= nextDay(firstDate ?? ''))).toBe(true)
    expect(await auditPlan(db.pool, one.workspaceId)).toEqual([])
  })
})

function nextDay(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
}
