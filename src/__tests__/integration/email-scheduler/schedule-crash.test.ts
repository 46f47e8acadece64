import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { enrol, makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

const KILLS = 100
const AT_ONCE = 2
const PROSPECTS = 12_000

test(`killed ${KILLS} times at random, scheduling leaves each key exactly once`, async () => {
  const { workspaceId } = await makeWorkspace(db.pool, {
    mailboxes: 4,
    settings: { daily_quota: 4000 },
    limits: { dailyLimit: 1000, rollingLimit: 5000 },
  })
  // Batches so small that many commits fall into the life of each process.
  const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 3, 4], batchSize: 5 })
  await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, PROSPECTS))

  const phases = await Promise.all(Array.from({ length: AT_ONCE }, () => killInTurn(campaign, KILLS / AT_ONCE)))
  const killedAtWork = phases.flat().filter((progressed) => progressed).length
  // A kill that met a process with nothing to do would prove nothing.
  expect(killedAtWork).toBeGreaterThan(KILLS / 2)
  const { rows: before } = await db.pool.query<{ planned: number }>(
    `SELECT count(*)::int AS planned FROM campaign_prospects WHERE campaign_id = $1 AND planned_at IS NOT NULL`,
    [campaign.campaignId],
  )
  expect(before[0]?.planned).toBeGreaterThan(0)
  expect(before[0]?.planned).toBeLessThan(PROSPECTS)
  expect(await auditPlan(db.pool, workspaceId)).toEqual([])

  await db.pool.query('UPDATE campaigns SET batch_size = 500 WHERE id = $1', [campaign.campaignId])
  const rest = await scheduleEmailsForCampaign(db.pool, campaign, {
    log: pino({ level: 'silent' }),
    mayContinue: () => true,
  })
  expect(rest).toMatchObject({ errors: [], remaining: 0 })
  expect(rest.scheduled + rest.skipped).toBe(PROSPECTS * 3)
  expect(await auditPlan(db.pool, workspaceId)).toEqual([])
})

/** One process after another, each killed at a random moment of its work; answers which had planned something by then. */
async function killInTurn(campaign: TestCampaign, kills: number): Promise<boolean[]> {
  const progressed: boolean[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const child = fork(
      join(projectRoot, 'src/__tests__/support/faults/schedule-process.ts'),
      [db.url, campaign.workspaceId, campaign.campaignId],
      { stdio: 'ignore' },
    )
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    await new Promise<void>((resolve) => child.once('message', () => resolve()))
    const before = await countBatches(campaign)
    // By batches and not by time, so that a slow machine meets them in the same phases; then somewhere within one.
    const batches = Math.floor(Math.random() * 4)
    while (child.exitCode === null && (await countBatches(campaign)) < before + batches) await sleep(1)
    await sleep(Math.random() * 20)
    child.kill('SIGKILL')
    await ended
    progressed.push((await countBatches(campaign)) > before)
  }
  return progressed
}

async function countBatches({ workspaceId }: TestCampaign): Promise<number> {
  const { rows } = await db.pool.query<{ serial: number }>(
    'SELECT serial FROM workspace_plans WHERE workspace_id = $1',
    [workspaceId],
  )
  return rows[0]?.serial ?? 0
}
