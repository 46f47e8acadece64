import { describe, expect, test } from 'vitest'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { planRoundRobin } from '#lib/email-scheduler/plan/round-robin.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { testSender, whileSending } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

/**
 * "Campaign Scheduler: Simple, Reliable Plan", its acceptance checklist item by item and in its own words. A batch job is
 * a transaction under its workspace's lock here, not a message: see decisions/dispatch.md. That a batch is bounded however
 * long the list is, is weighed by `npm run bench -- plan`; that a crash in the middle leaves neither duplicate nor gap is
 * schedule-crash.test.ts.
 */
const db = testDatabase()
const AMPLE = {
  mailboxes: 10,
  settings: { daily_quota: 10_000, jitter_min_seconds: 0, jitter_max_seconds: 0 },
  limits: { dailyLimit: 1_000, rollingLimit: 1_000 },
}

const planned = async ({ campaignId }: Draft) => (await readLedger(db.pool, campaignId)).enrolments.ACTIVE

async function underWay(): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `SELECT count(*)::int FROM scheduled_emails WHERE status = 'SENDING'`,
  )
  return rows[0]?.count ?? 0
}

const batches = (count: number) => {
  let left = count
  return { log: silent, mayContinue: () => left-- > 0 }
}

async function twoCampaigns(people: number, batchSize: number) {
  const one = await makeDraft(db.pool, people, [0], { ...AMPLE, batchSize })
  const two = await makeDraft(db.pool, people, [0], { workspaceId: one.workspaceId, batchSize })
  await launch(db.pool, one)
  await launch(db.pool, two)
  return [one, two] as const
}

describe('the acceptance checklist', () => {
  test('large campaigns do not spike memory: a batch takes batchSize people, and no more are fetched', async () => {
    const draft = await makeDraft(db.pool, 90, [0], { ...AMPLE, batchSize: 25 })
    await launch(db.pool, draft)
    for (const count of [25, 50, 75, 90]) {
      await planRoundRobin(db.pool, batches(1))
      expect(await planned(draft)).toBe(count)
    }
  })

  test('two campaigns scheduled together both progress concurrently without starving', async () => {
    const [one, two] = await twoCampaigns(60, 10)
    for (let look = 1; look <= 3; look += 1) {
      await planRoundRobin(db.pool, batches(4))
      expect([await planned(one), await planned(two)]).toEqual([look * 20, look * 20])
    }
  })

  test('only one batch per campaign exists at a time, and attempted duplicates are skipped', async () => {
    const [one, two] = await twoCampaigns(40, 10)
    // Six schedulers poll in the same moment, as often as it takes.
    await Promise.all(
      Array.from({ length: 6 }, () => planRoundRobin(db.pool, { log: silent, mayContinue: () => true })),
    )
    const { rows } = await db.pool.query<{ emails: number; people: number }>(
      `SELECT count(*)::int AS emails, count(DISTINCT (campaign_id, prospect_id))::int AS people
       FROM scheduled_emails WHERE campaign_id IN ($1, $2)`,
      [one.campaignId, two.campaignId],
    )
    expect(rows).toEqual([{ emails: 80, people: 80 }])
  })

  test('PAUSED: the scheduler skips the campaign, and resumes where it was', async () => {
    const [one, two] = await twoCampaigns(30, 10)
    await planRoundRobin(db.pool, batches(2))
    const set = (status: string) =>
      db.pool.query(`UPDATE campaigns SET status = $2::campaign_status WHERE id = $1`, [one.campaignId, status])
    await set('PAUSED')
    await runTick(db.pool, 'scheduler', silent)
    expect([await planned(one), await planned(two)]).toEqual([10, 30])
    await set('RUNNING')
    await runTick(db.pool, 'scheduler', silent)
    expect(await planned(one)).toBe(30)
  })
})

describe('the jobs of its emails in Redis, by bullmq', () => {
  const service = testService('bullmq')

  test.skipIf(!IS_THERE.bullmq)('go out once, fairly, and leave nothing behind in Redis', async () => {
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
    const [one, two] = await twoCampaigns(60, 15)
    await runTick(db.pool, 'scheduler', silent)
    const provider = new TestProvider()
    const workers = ['one', 'two'].map((worker) => testSender(db.pool, provider, service.settings, worker))
    let go: () => void = () => undefined
    const maySend = new Promise<void>((done) => {
      go = done
    })
    provider.answer = async ({ message }) => {
      await maySend
      return { kind: 'accepted', messageId: message.messageId }
    }
    await whileSending(workers, async () => {
      await until('something is handed over', async () => provider.handed.length > 0)
      await new Promise((later) => setTimeout(later, 1_000))
      // Of 120 that are due: one for each of the ten mailboxes, from each worker, as long as no server has answered.
      expect(await underWay()).toBeLessThanOrEqual(20)
      go()
      await until('all are sent', async () => provider.handed.length >= 120)
      await until('nothing is left in Redis', async () => (await service.waiting()) === 0)
    })
    expect(new Set(provider.handed.map(({ emailId }) => emailId)).size).toBe(120)
    expect(provider.handed).toHaveLength(120)
    const { rows } = await db.pool.query<{ id: string; campaign_id: string }>(
      'SELECT id, campaign_id FROM scheduled_emails WHERE campaign_id IN ($1, $2)',
      [one.campaignId, two.campaignId],
    )
    const campaignOf = new Map(rows.map(({ id, campaign_id }) => [id, campaign_id]))
    const firstHalf = provider.handed.slice(0, 60).filter(({ emailId }) => campaignOf.get(emailId) === one.campaignId)
    expect(Math.abs(firstHalf.length - 30)).toBeLessThanOrEqual(15)
  })
})
