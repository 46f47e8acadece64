import pino from 'pino'
import { expect, test } from 'vitest'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { readLastTick } from '#lib/worker/heartbeat.ts'
import { runTick } from '#lib/worker/tick.ts'
import { enrol, makeCampaign, makeSequence } from '#tests/support/data/campaigns.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const log = pino({ level: 'silent' })

test('a tick leaves a heartbeat, and its absence is said', async () => {
  expect(await readLastTick(db.pool)).toMatchObject({ at: null, ok: false })
  await runTick(db.pool, 'cron', log)
  expect(await readLastTick(db.pool)).toMatchObject({ ok: true })
  await db.travel('16 minutes')
  expect(await readLastTick(db.pool)).toMatchObject({ ok: false, sentence: expect.stringContaining('16 minutes ago') })
})

test('a tick from before the clock was set back says nothing of now', async () => {
  await runTick(db.pool, 'cron', log)
  await db.travel('-2 hours')
  expect(await readLastTick(db.pool)).toMatchObject({
    at: null,
    ok: false,
    sentence: expect.stringContaining('set back'),
  })
  await runTick(db.pool, 'cron', log)
  expect(await readLastTick(db.pool)).toMatchObject({ ok: true })
  await db.travel('2 hours')
})

test('a tick plans again what waits under settings that have changed, in every workspace, and then rests', async () => {
  const workspaces: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const { workspaceId } = await makeWorkspace(db.pool)
    const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 1] })
    await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, 30))
    await scheduleEmailsForCampaign(db.pool, campaign, { log, mayContinue: () => true })
    workspaces.push(workspaceId)
  }
  await db.pool.query('UPDATE sending_settings SET daily_quota = 7')
  expect(await runTick(db.pool, 'cron', log)).toMatchObject({ emailsReplanned: 180 })
  for (const workspaceId of workspaces) expect(await auditPlan(db.pool, workspaceId)).toEqual([])
  expect(await runTick(db.pool, 'cron', log)).toMatchObject({ emailsReplanned: 0 })
})

test('ticks that overlap do no harm', async () => {
  await db.pool.query('UPDATE sending_settings SET daily_quota = 11')
  const ticks = await Promise.all([1, 2, 3, 4].map(() => runTick(db.pool, 'cron', log)))
  expect(ticks.reduce((sum, { emailsReplanned }) => sum + emailsReplanned, 0)).toBe(180)
  const { rows } = await db.pool.query<{ workspace_id: string }>('SELECT DISTINCT workspace_id FROM scheduled_emails')
  for (const { workspace_id } of rows) expect(await auditPlan(db.pool, workspace_id)).toEqual([])
})

test.each([
  ['that cannot be looked at for missing fields', 'campaign_prospects', `NEW.state = 'PENDING'`],
  ['that cannot be given its appended steps', 'scheduled_emails', 'NEW.step_number = 2'],
])('a campaign %s keeps no other workspace from sending', async (_, table, when) => {
  const { workspaceId } = await makeWorkspace(db.pool)
  const sequenceId = await makeSequence(db.pool, workspaceId, [0])
  const broken = await makeCampaign(db.pool, { in: { workspaceId }, sequenceId })
  const [planned = '', blocked = ''] = await makeProspects(db.pool, workspaceId, 2)
  await enrol(db.pool, broken, [planned])
  await scheduleEmailsForCampaign(db.pool, broken, { log, mayContinue: () => true })
  await enrol(db.pool, broken, [blocked])
  await db.pool.query(
    `UPDATE campaign_prospects SET state = 'BLOCKED', reason = 'x', reason_code = 'missing-fields' WHERE prospect_id = $1`,
    [blocked],
  )
  await db.pool.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, updated_at) VALUES (gen_random_uuid(), $1, 2, app_now())`,
    [sequenceId],
  )
  await db.pool.query(
    `CREATE OR REPLACE FUNCTION break_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`,
  )
  await db.pool.query(
    `CREATE TRIGGER broken BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW
     WHEN (NEW.campaign_id = '${broken.campaignId}' AND ${when}) EXECUTE FUNCTION break_it()`,
  )
  const fine = await makeDueCampaign(db.pool, { prospects: 1 })
  await runTick(db.pool, 'cron', log, { sending: sendingThrough(db.pool, new TestProvider()) }).finally(() =>
    db.pool.query(`DROP TRIGGER broken ON ${table}`),
  )
  expect(await statusesOf(db.pool, fine.campaignId)).toEqual({ SENT: 1 })
})
