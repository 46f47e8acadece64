import { describe, expect, test } from 'vitest'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { type DryEmail, dryRun } from '#lib/email-scheduler/dry-run.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/schedule-emails.ts'
import { runTick } from '#lib/worker/tick.ts'
import { always, type Draft, launch, makeDraft, silent } from '#tests/support/campaigns.ts'
import { testDatabase } from '#tests/support/database.ts'

const db = testDatabase()

async function plan({ workspaceId, campaignId }: Draft, cursor?: string, limit = 200) {
  return dryRun(db.pool, await findCampaign(db.pool, workspaceId, campaignId), { ...always, cursor, limit })
}

async function allPages(draft: Draft): Promise<DryEmail[]> {
  const emails: DryEmail[] = []
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const { page, nextCursor } = await plan(draft, cursor, 37)
    emails.push(...page)
    cursor = nextCursor
  }
  return emails
}

async function planned({ campaignId }: Draft) {
  const { rows } = await db.pool.query<{ key: string; at: Date; mailbox: string }>(
    `SELECT campaign_prospect_id || ':' || step_number AS key, scheduled_for AS at, mailbox_id AS mailbox
     FROM scheduled_emails WHERE campaign_id = $1 ORDER BY 1`,
    [campaignId],
  )
  return rows
}

const keyed = (emails: DryEmail[]) =>
  emails
    .map(({ enrolmentId, stepNumber, at, mailboxId }) => ({
      key: `${enrolmentId}:${stepNumber}`,
      at,
      mailbox: mailboxId,
    }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))

describe('the dry run', () => {
  test.each([
    ['within limits that bind', { daily_quota: 50 }, '4 minutes'],
    ['with a ramp-up and weekdays', { ramp_up_enabled: true, ramp_up_start: 5, sending_days: [1, 3, 5] }, '0 minutes'],
  ])('equals the launch, email by email, %s', async (_what, settings, meanwhile) => {
    const draft = await makeDraft(db.pool, 230, [0, 1, 3], { settings, batchSize: 40 })
    // Far from midnight, so that the few minutes in between cross none.
    const { rows } = await db.pool.query<{ far: boolean }>(
      `SELECT extract(hour FROM app_now() AT TIME ZONE 'Europe/Berlin') < 20 AS far`,
    )
    if (!rows[0]?.far) await db.travel('8 hours')
    const foreseen = await allPages(draft)
    expect(await planned(draft)).toEqual([])
    await db.travel(meanwhile)
    await launch(db.pool, draft)
    await scheduleEmailsForCampaign(db.pool, draft, always)
    expect(foreseen).toHaveLength(690)
    expect(await planned(draft)).toEqual(keyed(foreseen))
  })

  test('made for a start to come equals what the tick plans then', async () => {
    const draft = await makeDraft(db.pool, 60, [0, 2])
    const { rows } = await db.pool.query<{ at: Date }>(
      `SELECT date_trunc('day', app_now()) + interval '2 days 10 hours' AS at`,
    )
    await launch(db.pool, draft, rows[0]?.at)
    const foreseen = await allPages(draft)
    expect((await plan(draft)).madeFor).toEqual(rows[0]?.at)
    await db.pool.query(
      `UPDATE test_support.clock SET "offset" = "offset" + ($1::timestamptz - app_now()) + interval '90 seconds'`,
      [rows[0]?.at],
    )
    await runTick(db.pool, 'test', silent)
    expect(await planned(draft)).toEqual(keyed(foreseen))
  })

  test('tells totals by day, the last day, and which limit binds on which', async () => {
    const draft = await makeDraft(db.pool, 50, [0], { settings: { daily_quota: 20 }, limits: { dailyLimit: 15 } })
    const run = await plan(draft)
    expect(run).toMatchObject({ emails: 50, enrolments: 50, isComplete: true, impossible: null, waitsForReplan: false })
    expect(run.days.reduce((sum, { emails }) => sum + emails, 0)).toBe(50)
    expect(run.days.filter(({ emails }) => emails > 0).map(({ emails }) => emails)).toEqual([20, 20, 10])
    expect(run.lastDate).toBe(run.days.filter(({ emails }) => emails > 0).at(-1)?.date)
    expect(run.days[0]?.held['workspace-quota']).toBeGreaterThan(0)
  })

  test('writes nothing, and leaves out who would be left out', async () => {
    const draft = await makeDraft(db.pool, 10, [0])
    const tables = ['scheduled_emails', 'planned_days', 'workspace_plans', 'freed_places'] as const
    const counts = () =>
      Promise.all(tables.map(async (table) => (await db.pool.query(`SELECT count(*) FROM ${table}`)).rows[0]))
    await db.pool.query('UPDATE prospects SET unsubscribed_at = app_now() WHERE id = $1', [draft.prospectIds[0]])
    const before = await counts()
    expect(await plan(draft)).toMatchObject({ emails: 9, enrolments: 9, skipped: 1 })
    expect(await counts()).toEqual(before)
  })

  test('says why nothing can be planned', async () => {
    const draft = await makeDraft(db.pool, 3, [0], { mailboxes: 0 })
    expect(await plan(draft)).toMatchObject({ emails: 0, impossible: 'There is no mailbox to send from.' })
  })

  test('stops when its time is up, and says so', async () => {
    const draft = await makeDraft(db.pool, 90, [0], { batchSize: 30 })
    let batches = 2
    const campaign = await findCampaign(db.pool, draft.workspaceId, draft.campaignId)
    const run = await dryRun(db.pool, campaign, { limit: 5, mayContinue: () => batches-- > 0 })
    expect(run).toMatchObject({ emails: 60, isComplete: false })
  })
})
