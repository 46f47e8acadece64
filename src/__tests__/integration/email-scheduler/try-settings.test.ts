import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { replanWorkspace } from '#lib/email-scheduler/plan/replan.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { trySettings } from '#lib/email-scheduler/plan/try-settings.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { enrol, makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const run = { log: pino({ level: 'silent' }), mayContinue: () => true }

async function scheduled(prospects: number, delays: number[]) {
  const { workspaceId } = await makeWorkspace(db.pool)
  const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays })
  await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, prospects))
  await scheduleEmailsForCampaign(db.pool, campaign, run)
  const settings = await readSendingSettings(db.pool, workspaceId)
  if (!settings) throw new Error('the workspace has no settings')
  return { workspaceId, settings }
}
const tryThem = (workspaceId: string, settings: SendingSettings, mayContinue = () => true) =>
  trySettings(db.pool, workspaceId, settings, mayContinue)

type Time = { id: string; at: Date }
async function timesOf(workspaceId: string): Promise<Time[]> {
  const { rows } = await db.pool.query<Time>(
    `SELECT id, scheduled_for AS at FROM scheduled_emails WHERE workspace_id = $1 ORDER BY id`,
    [workspaceId],
  )
  return rows
}
const lastOf = (times: readonly Time[]) => Math.max(...times.map(({ at }) => at.getTime()))

describe('other settings, tried out', () => {
  test.each<[string, Partial<SendingSettings>, string]>([
    ['a smaller quota', { dailyQuota: 13 }, 'daily_quota = 13'],
    [
      'another window',
      { windowStartMinute: 600, windowEndMinute: 660 },
      'window_start_minute = 600, window_end_minute = 660',
    ],
    ['fewer days', { sendingDays: [2, 4] }, `sending_days = '{2,4}'`],
  ])('%s: what is told is what then happens, and nothing is written before', async (_, wish, sql) => {
    const { workspaceId, settings } = await scheduled(60, [0, 2])
    const before = await timesOf(workspaceId)
    const effect = await tryThem(workspaceId, { ...settings, ...wish })
    expect(await timesOf(workspaceId)).toEqual(before)

    await db.pool.query(`UPDATE sending_settings SET ${sql} WHERE workspace_id = $1`, [workspaceId])
    await replanWorkspace(db.pool, workspaceId, { ...run, session: new PlanningSession() })
    const after = await timesOf(workspaceId)
    const moved = after.filter(({ at }, index) => Math.abs(at.getTime() - (before[index]?.at.getTime() ?? 0)) >= 60_000)
    expect(effect).toMatchObject({ emails: 120, isComplete: true, impossible: null })
    // The second plan is made a moment later than the first, which may carry one across the minute.
    expect(Math.abs(effect.moved - moved.length)).toBeLessThanOrEqual(5)
    expect(effect.moved).toBeGreaterThan(30)
    expect(effect.lastBefore?.getTime()).toBe(lastOf(before))
    expect(Math.abs((effect.lastAfter?.getTime() ?? 0) - lastOf(after))).toBeLessThan(60_000)
  })

  test('more than one batch is looked at, each person once', async () => {
    const { workspaceId, settings } = await scheduled(400, [0, 1])
    expect(await tryThem(workspaceId, settings)).toMatchObject({ emails: 800, isComplete: true })
  })

  test('where the time is over, it says so instead of guessing', async () => {
    const { workspaceId, settings } = await scheduled(400, [0, 1])
    let batches = 0
    const effect = await tryThem(workspaceId, { ...settings, dailyQuota: 5 }, () => batches++ < 1)
    expect(effect.isComplete).toBe(false)
    expect(effect.emails).toBeGreaterThan(0)
    expect(effect.emails).toBeLessThan(800)
  })

  test('without a mailbox it says that nothing could be planned', async () => {
    const { workspaceId, settings } = await scheduled(5, [0])
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'x' WHERE workspace_id = $1`, [
      workspaceId,
    ])
    expect(await tryThem(workspaceId, settings)).toMatchObject({
      impossible: 'There is no mailbox to send from.',
    })
  })
})
