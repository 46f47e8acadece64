import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { reschedule } from '#lib/email-scheduler/verbs/reschedule.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { enrol, makeCampaign } from '#tests/support/data/campaigns.ts'
import { actor } from '#tests/support/data/people.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { DUE_NOW, sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const log = pino({ level: 'silent' })
const run = { log, mayContinue: () => true }

async function planned(prospects: number, settings: Record<string, unknown> = {}) {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED'`)
  const { workspaceId } = await makeWorkspace(db.pool, {
    settings: { jitter_min_seconds: 1, jitter_max_seconds: 2, ...settings },
  })
  const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 3] })
  await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, prospects))
  await scheduleEmailsForCampaign(db.pool, campaign, run)
  return campaign
}

type Row = {
  id: string
  status: string
  scheduled_for: Date
  ready_at: Date | null
  local_date: string
  step_number: number
  mailbox_id: string
}
const rowsOf = async ({ campaignId }: { campaignId: string }) =>
  (
    await db.pool.query<Row>(
      'SELECT * FROM scheduled_emails WHERE campaign_id = $1 ORDER BY campaign_prospect_id, step_number',
      [campaignId],
    )
  ).rows
const inDays = async (days: number) => new Date((await appNow(db.pool)).getTime() + days * 86_400_000)
const toTime = ({ workspaceId }: { workspaceId: string }, ids: string[], at: Date) =>
  inTransaction(db.pool, (tx) => reschedule(tx, workspaceId, ids, at))
const placesOf = async ({ workspaceId }: { workspaceId: string }) =>
  (
    await db.pool.query<{ date: string; emails: number }>(
      `SELECT local_date::text AS date, sum(emails)::int AS emails FROM planned_days WHERE workspace_id = $1 AND emails > 0 GROUP BY 1 ORDER BY 1`,
      [workspaceId],
    )
  ).rows
const countedPlaces = async ({ workspaceId }: { workspaceId: string }) =>
  (
    await db.pool.query<{ date: string; emails: number }>(
      `SELECT local_date::text AS date, count(*)::int AS emails FROM scheduled_emails WHERE workspace_id = $1 GROUP BY 1 ORDER BY 1`,
      [workspaceId],
    )
  ).rows

test('an email goes at the time that a person chose, and what follows it is planned from there', async () => {
  const campaign = await planned(3)
  const before = await rowsOf(campaign)
  const at = await inDays(5)
  const [first] = before
  expect(await toTime(campaign, [first?.id ?? ''], at)).toEqual([
    { id: first?.id, answer: 'done', status: 'SCHEDULED' },
  ])
  const [moved, follower, ...others] = await rowsOf(campaign)
  expect(moved).toMatchObject({ scheduled_for: at, ready_at: at })
  expect(follower?.ready_at).toBeNull()
  const days = ((follower?.scheduled_for.getTime() ?? 0) - at.getTime()) / 86_400_000
  expect(days).toBeGreaterThan(2)
  expect(days).toBeLessThanOrEqual(3)
  expect(others.map(({ scheduled_for }) => scheduled_for)).toEqual(
    before.slice(2).map(({ scheduled_for }) => scheduled_for),
  )
})

test('its place in the plan moves with it: left where it was, taken where it goes', async () => {
  const campaign = await planned(4)
  const [first, , second] = await rowsOf(campaign)
  await toTime(campaign, [first?.id ?? '', second?.id ?? ''], await inDays(5))
  await enrol(db.pool, campaign, await makeProspects(db.pool, campaign.workspaceId, 2))
  await scheduleEmailsForCampaign(db.pool, campaign, run)
  expect(await placesOf(campaign)).toEqual(await countedPlaces(campaign))
  expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
  const rows = await rowsOf(campaign)
  expect(await runTick(db.pool, 'test', log)).toMatchObject({ emailsReplanned: 0 })
  expect((await rowsOf(campaign)).map(({ scheduled_for }) => scheduled_for)).toEqual(
    rows.map(({ scheduled_for }) => scheduled_for),
  )
})

describe('a time that a person chose is kept by every plan', () => {
  const change = ({ workspaceId }: { workspaceId: string }, columns: string) =>
    db.pool.query(`UPDATE sending_settings SET ${columns} WHERE workspace_id = $1`, [workspaceId])
  const planAgain = async () => expect((await runTick(db.pool, 'test', log)).emailsReplanned).toBeGreaterThan(0)

  test('when settings change: the others are planned around it, and what follows it from there', async () => {
    const campaign = await planned(4)
    const at = await inDays(5)
    const [first] = await rowsOf(campaign)
    await toTime(campaign, [first?.id ?? ''], at)
    for (const quota of [2, 50]) {
      await change(campaign, `daily_quota = ${quota}`)
      await planAgain()
      const [moved, follower, ...others] = await rowsOf(campaign)
      expect(moved).toMatchObject({ scheduled_for: at, ready_at: at })
      expect(follower?.ready_at).toBeNull()
      expect((follower?.scheduled_for.getTime() ?? 0) - at.getTime()).toBeGreaterThan(2 * 86_400_000)
      expect(
        others.filter(({ step_number }) => step_number === 1).some(({ scheduled_for }) => scheduled_for < at),
      ).toBe(true)
      expect(await placesOf(campaign)).toEqual(await countedPlaces(campaign))
      expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
    }
  })

  test('when its mailbox goes: it leaves from another, at that time', async () => {
    const campaign = await planned(2)
    const at = await inDays(5)
    const [first] = await rowsOf(campaign)
    await toTime(campaign, [first?.id ?? ''], at)
    await db.pool.query(
      `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, updated_at)
       VALUES (gen_random_uuid(), $1, 'other@acme.test', 'SMTP', 50, app_now())`,
      [campaign.workspaceId],
    )
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', updated_at = app_now() WHERE id = $1`, [
      first?.mailbox_id,
    ])
    await planAgain()
    const rows = await rowsOf(campaign)
    expect(rows[0]).toMatchObject({ scheduled_for: at, ready_at: at })
    expect(rows[0]?.mailbox_id).toBe(rows[1]?.mailbox_id)
    expect(rows.map(({ mailbox_id }) => mailbox_id)).not.toContain(first?.mailbox_id)
  })

  test('of a follow-up too: what comes after it is planned from there, what comes before it by itself', async () => {
    const campaign = await planned(1)
    const at = await inDays(12)
    const [, follower] = await rowsOf(campaign)
    await toTime(campaign, [follower?.id ?? ''], at)
    const [first] = await rowsOf(campaign)
    await toTime(campaign, [first?.id ?? ''], await inDays(2))
    await change(campaign, 'daily_quota = 7')
    await planAgain()
    expect((await rowsOf(campaign))[1]).toMatchObject({ scheduled_for: at, ready_at: null })
  })

  test('as long as it is allowed: a window that is closed then opens later, and a delay that is not over comes first', async () => {
    const campaign = await planned(2)
    const at = await inDays(5)
    const [first, , second, follower] = await rowsOf(campaign)
    await toTime(campaign, [first?.id ?? ''], at)
    await toTime(campaign, [follower?.id ?? ''], await inDays(1))
    await toTime(campaign, [second?.id ?? ''], await inDays(0))
    await sendAll(db.pool, new TestProvider(), { time: DUE_NOW })
    const [chosen] = await rowsOf(campaign)
    await change(campaign, `days_off = ARRAY['${chosen?.local_date}']::date[]`)
    await planAgain()
    const [moved, , sent, waiting] = await rowsOf(campaign)
    expect(moved?.scheduled_for.getTime()).toBeGreaterThan(at.getTime())
    expect((moved?.scheduled_for.getTime() ?? 0) - at.getTime()).toBeLessThan(2 * 86_400_000)
    expect(sent).toMatchObject({ status: 'SENT' })
    expect(waiting?.scheduled_for.getTime()).toBeGreaterThan((await inDays(2)).getTime())
  })
})

test('a time at which the window is closed becomes the next at which it opens; where it never opens, none is kept', async () => {
  const campaign = await planned(1, { window_start_minute: 540, window_end_minute: 600 })
  const [first] = await rowsOf(campaign)
  const night = await inDays(6)
  night.setUTCHours(0, 30, 0, 0)
  await toTime(campaign, [first?.id ?? ''], night)
  const [moved] = await rowsOf(campaign)
  const local = moved?.scheduled_for.toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })
  expect(local).toBe('09:00:00')
  expect(moved?.scheduled_for.getTime()).toBeGreaterThan(night.getTime())
  await db.pool.query(`UPDATE sending_settings SET sending_days = '{}' WHERE workspace_id = $1`, [campaign.workspaceId])
  expect(await toTime(campaign, [first?.id ?? ''], night)).toMatchObject([{ answer: 'never-open' }])
})

test('the guards still hold: brought forward to now in a paused campaign, it stays until the campaign goes on', async () => {
  const campaign = await planned(1)
  const [first] = await rowsOf(campaign)
  await toTime(campaign, [first?.id ?? ''], await inDays(3))
  const provider = new TestProvider()
  await sendAll(db.pool, provider, { claimMsMax: 200 })
  expect(provider.handed).toEqual([])
  await inTransaction(db.pool, (tx) => pauseCampaign(tx, campaign.workspaceId, campaign.campaignId, actor))
  await toTime(campaign, [first?.id ?? ''], await inDays(0))
  await sendAll(db.pool, provider, { claimMsMax: 200 })
  expect(provider.handed).toEqual([])
  await inTransaction(db.pool, (tx) => resumeCampaign(tx, campaign.workspaceId, campaign.campaignId, actor))
  await sendAll(db.pool, provider, { claimMsMax: 200 })
  expect(provider.handed).toHaveLength(1)
})

test('several people at once, beside planning, planning again and a stop: the plan stays whole, and nothing waits in the stopped campaign', async () => {
  const campaign = await planned(12, { daily_quota: 60 })
  const { workspaceId } = campaign
  const other = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 1] })
  await enrol(db.pool, other, await makeProspects(db.pool, workspaceId, 30))
  const stopped = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 1] })
  await enrol(db.pool, stopped, await makeProspects(db.pool, workspaceId, 6))
  await scheduleEmailsForCampaign(db.pool, stopped, run)
  const ids = (await rowsOf(campaign)).filter(({ step_number }) => step_number === 1).map(({ id }) => id)
  const doomed = (await rowsOf(stopped)).map(({ id }) => id)
  await Promise.all([
    ...[2, 3, 4, 5].map(async (days) => toTime(campaign, ids.slice(days, days + 4), await inDays(days))),
    toTime(stopped, doomed, await inDays(7)),
    scheduleEmailsForCampaign(db.pool, other, run),
    stopCampaign(db.pool, workspaceId, stopped.campaignId, actor, () => true),
    db.pool.query('UPDATE sending_settings SET daily_quota = 50 WHERE workspace_id = $1', [workspaceId]),
    runTick(db.pool, 'test', log),
  ])
  await runTick(db.pool, 'test', log)
  // Emails of one mailbox that were given the very same time are spaced when they go, and not in the plan.
  const findings = await auditPlan(db.pool, workspaceId)
  expect(findings.filter((finding) => !finding.startsWith('closer than its jitter'))).toEqual([])
  expect((await rowsOf(stopped)).map((row) => (row as Row & { status: string }).status)).toEqual(
    doomed.map(() => 'CANCELLED'),
  )
})

describe('not every email gets another time', () => {
  test('a retry does, at its place; one that is sent, stopped or another workspace’s does not', async () => {
    const campaign = await planned(1)
    const [first, second] = await rowsOf(campaign)
    const provider = new TestProvider()
    provider.answer = () => ({ kind: 'retry', scope: 'message', code: 'TEMPORARY_FAILURE', reason: 'Later.' })
    await toTime(campaign, [first?.id ?? ''], await inDays(0))
    await sendAll(db.pool, provider, { claimMsMax: 200 })
    const at = await inDays(1)
    expect(await toTime(campaign, [first?.id ?? '', newId()], at)).toMatchObject([
      { answer: 'done', status: 'RETRY_SCHEDULED' },
      { answer: 'not-found' },
    ])
    expect((await rowsOf(campaign))[0]).toMatchObject({ next_retry_at: at, ready_at: at })
    const elsewhere = await makeWorkspace(db.pool)
    expect(await toTime(elsewhere, [first?.id ?? ''], at)).toMatchObject([{ answer: 'not-found' }])
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaign.campaignId])
    expect(await toTime(campaign, [second?.id ?? ''], at)).toMatchObject([{ answer: 'campaign-stopped' }])
    await db.pool.query(
      `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL WHERE id = $1`,
      [second?.id],
    )
    expect(await toTime(campaign, [second?.id ?? ''], at)).toMatchObject([{ answer: 'not-possible' }])
  })
})
