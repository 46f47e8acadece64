import { describe, expect, test } from 'vitest'
import { LEDGER_SQL, readLedger } from '#lib/campaigns/ledger.ts'
import { planRoundRobin } from '#lib/email-scheduler/plan/round-robin.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { PromiseWatch } from '#lib/operations/promise/promise-watch.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { heapUsed } from '#tests/support/heap.ts'
import { sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const ample = { mailboxes: 20, settings: { daily_quota: 10_000, jitter_min_seconds: 0, jitter_max_seconds: 0 } }
const limits = { dailyLimit: 500, rollingLimit: 1000 }

const planned = async ({ campaignId }: Draft) => (await readLedger(db.pool, campaignId)).enrolments.ACTIVE
const batches = (count: number) => {
  let left = count
  return { log: silent, mayContinue: () => left-- > 0 }
}

describe('campaigns take turns', () => {
  test('two of one workspace progress side by side, whenever one looks', async () => {
    const one = await makeDraft(db.pool, 600, [0, 1], { ...ample, limits, batchSize: 20 })
    const two = await makeDraft(db.pool, 600, [0, 1], { workspaceId: one.workspaceId, batchSize: 20 })
    await launch(db.pool, one)
    await launch(db.pool, two)
    for (let look = 0; look < 5; look += 1) {
      await planRoundRobin(db.pool, batches(10))
      const [ofOne, ofTwo] = [await planned(one), await planned(two)]
      expect(ofOne + ofTwo).toBe((look + 1) * 200)
      expect(Math.abs(ofOne - ofTwo)).toBeLessThanOrEqual(0.1 * Math.max(ofOne, ofTwo))
    }
    expect(await runTick(db.pool, 'test', silent)).toMatchObject({ emailsScheduled: 400, planningUnfinished: false })
    expect(await auditPlan(db.pool, one.workspaceId)).toEqual([])
  })

  test('of a long sequence a batch has fewer prospects, however large it is set, so that a turn stays short', async () => {
    const draft = await makeDraft(
      db.pool,
      400,
      Array.from({ length: 50 }, () => 0),
      { ...ample, limits, batchSize: 10_000 },
    )
    await launch(db.pool, draft)
    await planRoundRobin(db.pool, batches(1))
    expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({
      balances: true,
      enrolments: { ACTIVE: 300, PENDING: 100 },
      emails: { total: 15_000 },
    })
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [draft.campaignId])
  })

  test('one that cannot be planned says so and holds up nobody', async () => {
    const stuck = await makeDraft(db.pool, 5, [0])
    const other = await makeDraft(db.pool, 5, [0])
    await launch(db.pool, stuck)
    await launch(db.pool, other)
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED' WHERE workspace_id = $1`, [stuck.workspaceId])
    const summary = await runTick(db.pool, 'test', silent)
    expect(summary.planningErrors).toEqual(['Spring: There is no mailbox to send from.'])
    expect(await planned(other)).toBe(5)
    await db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED' WHERE workspace_id = $1`, [stuck.workspaceId])
    expect((await runTick(db.pool, 'test', silent)).planningErrors).toEqual([])
    expect(await planned(stuck)).toBe(5)
  })

  test('settings that change are planned for again by the tick', async () => {
    const draft = await makeDraft(db.pool, 40, [0, 2])
    await launch(db.pool, draft)
    await runTick(db.pool, 'test', silent)
    await db.pool.query('UPDATE sending_settings SET daily_quota = 10 WHERE workspace_id = $1', [draft.workspaceId])
    expect((await runTick(db.pool, 'test', silent)).emailsReplanned).toBe(80)
    expect(await auditPlan(db.pool, draft.workspaceId)).toEqual([])
  })
})

test('20,000 prospects × 3: the request does its part, ticks the rest, and memory stays flat', async () => {
  const draft = await makeDraft(db.pool, 20_000, [0, 2, 3], { ...ample, limits, batchSize: 500 })
  await launch(db.pool, draft)
  const first = await scheduleEmailsForCampaign(db.pool, draft, batches(8))
  expect(first).toMatchObject({ scheduled: 12_000, remaining: 16_000, errors: [] })
  const heaps: number[] = []
  let scheduled = first.scheduled
  for (let done = false; !done; ) {
    const turns = await planRoundRobin(db.pool, batches(8))
    scheduled += turns.scheduled
    done = !turns.isUnfinished
    heaps.push(heapUsed())
  }
  expect(scheduled).toBe(60_000)
  expect(Math.max(...heaps)).toBeLessThan((heaps[0] ?? 0) + 64 * 1024 * 1024)
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({
    balances: true,
    enrolments: { ACTIVE: 20_000, PENDING: 0, total: 20_000 },
    emails: { SCHEDULED: 60_000, wanted: 60_000 },
  })
  expect(await auditPlan(db.pool, draft.workspaceId)).toEqual([])

  await vacuum(db.pool, 'people_counts', 'email_counts')
  const plan = await inTransaction(db.pool, async (tx) => {
    // As on a table of a million, where reading it all is no choice.
    await tx.query('SET LOCAL enable_seqscan = off')
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE) ${LEDGER_SQL}`, [draft.campaignId])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).not.toMatch(/scheduled_emails|campaign_prospects/)
})

test('a tick with nothing due asks ten questions at most', async () => {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`)
  await db.pool.query(`UPDATE campaign_prospects SET state = 'FINISHED' WHERE state = 'ACTIVE'`)
  const pool = createPool(db.url, 2)
  const asked: string[] = []
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      asked.push(String(args[0]))
      return query(...args)
    }) as typeof client.query
  })
  const sending = sendingThrough(pool, new TestProvider())
  // It looks whether the promise holds in the first one; the next ones leave that alone for a while.
  const promise = new PromiseWatch(pool, silent)
  await runTick(pool, 'test', silent, { sending, promise })
  expect(asked.some((text) => text.includes('promise_walks'))).toBe(true)
  asked.length = 0
  await runTick(pool, 'test', silent, { sending, promise })
  await pool.end()
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.length).toBeLessThanOrEqual(10)
})
