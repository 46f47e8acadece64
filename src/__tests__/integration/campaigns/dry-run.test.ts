import { describe, expect, test } from 'vitest'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { type CampaignChange, changeCampaign } from '#lib/campaigns/draft.ts'
import { type DryEmail, dryRun } from '#lib/email-scheduler/plan/dry-run.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { type CampaignEmail, listCampaignEmails } from '#lib/email-scheduler/read/list-emails.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { always, type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()

async function plan({ workspaceId, campaignId }: Draft, cursor?: string, limit = 200, withOneMore = false) {
  const campaign = await findCampaign(db.pool, workspaceId, campaignId)
  return dryRun(db.pool, campaign, { ...always, cursor, limit, withOneMore })
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

const byTime = (one: DryEmail, other: DryEmail) => one.at.getTime() - other.at.getTime()

describe('the dry run', () => {
  test.each([
    ['within limits that bind', { daily_quota: 50 }, '4 minutes'],
    ['with a ramp-up and weekdays', { ramp_up_enabled: true, ramp_up_start: 5, sending_days: [1, 3, 5] }, '0 minutes'],
  ])('equals the launch, email by email, %s', async (_what, settings, elapsed) => {
    const draft = await makeDraft(db.pool, 230, [0, 1, 3], { settings, batchSize: 40 })
    // Far from midnight, so that the few minutes in between cross none.
    const { rows } = await db.pool.query<{ far: boolean }>(
      `SELECT extract(hour FROM app_now() AT TIME ZONE 'Europe/Berlin') < 20 AS far`,
    )
    if (!rows[0]?.far) await db.travel('8 hours')
    const foreseen = await allPages(draft)
    expect(await planned(draft)).toEqual([])
    await db.travel(elapsed)
    await launch(db.pool, draft)
    await scheduleEmailsForCampaign(db.pool, draft, always)
    expect(foreseen).toHaveLength(690)
    expect(await planned(draft)).toEqual(keyed(foreseen))
  })

  test('says why each email got its time, and the list of the launched campaign says the same, in the order of times', async () => {
    const draft = await makeDraft(db.pool, 70, [0, 2], { settings: { daily_quota: 12 }, batchSize: 20 })
    const foreseen = (await allPages(draft)).toSorted(byTime)
    await launch(db.pool, draft)
    await scheduleEmailsForCampaign(db.pool, draft, always)
    const listed: CampaignEmail[] = []
    const from = foreseen[0]?.localDate ?? ''
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page = await listCampaignEmails(db.pool, { id: draft.campaignId }, { from, cursor, limit: 37 })
      listed.push(...page.emails)
      cursor = page.nextCursor
    }
    const times = listed.map(({ scheduledFor }) => scheduledFor.getTime())
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    const said = (one: Pick<DryEmail, 'enrolmentId' | 'stepNumber' | 'limitedBy' | 'limitedOn'>) =>
      `${one.enrolmentId} ${one.stepNumber} ${one.limitedBy} ${one.limitedOn}`
    expect(listed.map((one) => said(one as never)).sort()).toEqual(foreseen.map(said).sort())
    expect(new Set(listed.map(({ limitedBy }) => limitedBy)).size).toBeGreaterThan(1)
    const later = await listCampaignEmails(db.pool, { id: draft.campaignId }, { from: '2099-01-01', limit: 5 })
    expect(later).toEqual({ emails: [], nextCursor: null })
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

  test('keeps to the mailboxes that were chosen for the campaign, and so does the launch', async () => {
    const draft = await makeDraft(db.pool, 30, [0, 1], { mailboxes: 3, limits: { dailyLimit: 10 } })
    const [chosen] = await mailboxesIn(draft)
    await change(draft, { mailboxIds: [chosen?.id ?? ''] })
    const foreseen = await allPages(draft)
    expect(new Set(foreseen.map(({ mailboxId }) => mailboxId))).toEqual(new Set([chosen?.id]))
    await launch(db.pool, draft)
    await scheduleEmailsForCampaign(db.pool, draft, always)
    expect(await planned(draft)).toEqual(keyed(foreseen))
  })

  test('where none of the chosen mailboxes is connected, says so, and the launch refuses for it', async () => {
    const draft = await makeDraft(db.pool, 3, [0])
    const [chosen] = await mailboxesIn(draft)
    await change(draft, { mailboxIds: [chosen?.id ?? ''] })
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'x' WHERE id = $1`, [chosen?.id])
    expect((await plan(draft)).impossible).toMatch(/^None of the mailboxes that the campaign sends from/)
    await expect(launch(db.pool, draft)).rejects.toMatchObject({
      details: { problems: [{ code: 'chosen-mailboxes' }] },
    })
    await expect(change(draft, { mailboxIds: [draft.campaignId] })).rejects.toMatchObject({ code: 'no-such-mailbox' })
  })

  test.each([
    ['', { daily_quota: 1_000 }],
    [', which warms up', { daily_quota: 1_000, ramp_up_enabled: true, ramp_up_start: 4, ramp_up_increment: 3 }],
  ])('foresees what one more mailbox would do%s: what is planned once it is there', async (_what, settings) => {
    const draft = await makeDraft(db.pool, 120, [0, 2], { mailboxes: 1, limits: { dailyLimit: 15 }, settings })
    const [like] = await mailboxesIn(draft)
    const without = await plan(draft)
    const { dryRunAt } = await findCampaign(db.pool, draft.workspaceId, draft.campaignId)
    const foreseen = await plan(draft, undefined, 200, true)
    expect((foreseen.lastDate ?? '') < (without.lastDate ?? '')).toBe(true)
    // A wish is no plan: the launch still goes by the dry run that was made without it.
    expect((await findCampaign(db.pool, draft.workspaceId, draft.campaignId)).dryRunAt).toEqual(dryRunAt)
    await db.pool.query(
      `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, rolling_limit, updated_at)
       SELECT $2, workspace_id, 'more@acme.test', kind, daily_limit, rolling_limit, app_now() FROM mailboxes WHERE id = $1`,
      [like?.id, newId()],
    )
    const real = await plan(draft)
    expect(real.days).toEqual(foreseen.days)
    expect(real.lastDate).toBe(foreseen.lastDate)
    await launch(db.pool, draft)
    await scheduleEmailsForCampaign(db.pool, draft, always)
    const { rows } = await db.pool.query<{ last: string }>(
      `SELECT to_char(max(local_date), 'YYYY-MM-DD') AS last FROM scheduled_emails WHERE campaign_id = $1`,
      [draft.campaignId],
    )
    expect(rows[0]?.last).toBe(foreseen.lastDate)
  })

  test('of a draft is for the start that is set, and the launch then proposes it', async () => {
    const draft = await makeDraft(db.pool, 5, [0])
    const { rows } = await db.pool.query<{ at: Date }>(
      `SELECT date_trunc('day', app_now()) + interval '3 days 10 hours' AS at`,
    )
    await change(draft, { scheduledAt: rows[0]?.at ?? null })
    expect((await plan(draft)).madeFor).toEqual(rows[0]?.at)
    await expect(change(draft, { scheduledAt: new Date('2020-01-01') })).rejects.toMatchObject({ code: 'in-the-past' })
    await change(draft, { scheduledAt: null })
    expect((await findCampaign(db.pool, draft.workspaceId, draft.campaignId)).scheduledAt).toBeNull()
  })
})

const mailboxesIn = async ({ workspaceId }: Draft) =>
  (await db.pool.query<{ id: string }>('SELECT id FROM mailboxes WHERE workspace_id = $1 ORDER BY id', [workspaceId]))
    .rows

const change = ({ workspaceId, campaignId }: Draft, wanted: CampaignChange) =>
  inTransaction(db.pool, (tx) => changeCampaign(tx, workspaceId, campaignId, wanted, actor))
