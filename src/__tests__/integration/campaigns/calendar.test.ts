import { describe, expect, test } from 'vitest'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { addUpCounts } from '#lib/email-scheduler/queue/add-up-counts.ts'
import { readCalendar, readLastDays } from '#lib/email-scheduler/read/campaign-calendar.ts'
import { listCampaignEmails } from '#lib/email-scheduler/read/list-emails.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { listActs } from '#lib/tenancy/audit/campaign-acts.ts'
import { always, type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

async function planned(count: number, delays: number[], wanted: Parameters<typeof makeDraft>[3]): Promise<Draft> {
  const draft = await makeDraft(db.pool, count, delays, wanted)
  await launch(db.pool, draft)
  await scheduleEmailsForCampaign(db.pool, draft, always)
  return draft
}

async function months(draft: Draft) {
  const campaign = await findCampaign(db.pool, draft.workspaceId, draft.campaignId)
  const now = await readCalendar(db.pool, campaign, undefined)
  const all = [...now.days]
  for (let month = now.today.slice(0, 7); month < (now.lastDate ?? '').slice(0, 7); ) {
    const [year = 0, number = 1] = month.split('-').map(Number)
    month = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
    all.push(...(await readCalendar(db.pool, campaign, month)).days)
  }
  return { ...now, all, campaign }
}

describe('the calendar of a campaign', () => {
  test('counts on each day what that day opens, and its days come to the campaign', async () => {
    const draft = await planned(70, [0, 1], { settings: { daily_quota: 30 } })
    const { all, campaign, firstDate, lastDate } = await months(draft)
    expect(all.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(140)
    for (const { date, waiting } of all.filter((day) => day.waiting > 0)) {
      const { emails } = await listCampaignEmails(db.pool, campaign, { date, limit: 200 })
      expect(emails).toHaveLength(waiting)
    }
    const used = all.filter(({ waiting }) => waiting > 0).map(({ date }) => date)
    expect([firstDate, lastDate]).toEqual([used[0], used.at(-1)])
  })

  test('a page of one day goes on where the last one ended', async () => {
    const draft = await planned(25, [0], {})
    const { campaign, firstDate } = await months(draft)
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listCampaignEmails(db.pool, campaign, { date: firstDate ?? '', limit: 7, cursor })
      ids.push(...page.emails.map(({ id }) => id))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(new Set(ids).size).toBe(25)
  })

  test.each([
    ['the quota', { settings: { daily_quota: 20 } }, 20],
    ['the mailboxes’ limits', { mailboxes: 2, limits: { dailyLimit: 5 } }, 10],
    ['the ramp-up', { mailboxes: 1, settings: { ramp_up_enabled: true, ramp_up_start: 4, ramp_up_increment: 0 } }, 4],
  ])('marks as full the days on which %s lets no more through, and no other', async (_what, wanted, each) => {
    const draft = await planned(each * 2 + 1, [0], wanted)
    const { all } = await months(draft)
    const used = all.filter(({ waiting }) => waiting > 0)
    expect(used.map(({ waiting }) => waiting)).toEqual([each, each, 1])
    expect(used.map(({ isFull }) => isFull)).toEqual([true, true, false])
    expect(all.filter(({ waiting, isFull }) => waiting === 0 && isFull)).toEqual([])
  })

  test('knows days without a window, and days on which the clocks change', async () => {
    const draft = await makeDraft(db.pool, 1, [0], {
      settings: { sending_days: [1, 2, 3, 4, 5], days_off: ['2027-03-25'] },
    })
    const campaign = await findCampaign(db.pool, draft.workspaceId, draft.campaignId)
    const march = await readCalendar(db.pool, campaign, '2027-03')
    expect(march.days).toHaveLength(31)
    expect(march.days.filter(({ clockMinutes }) => clockMinutes !== 0)).toMatchObject([
      { date: '2027-03-28', clockMinutes: 60 },
    ])
    expect(march.days.find(({ date }) => date === '2027-03-25')?.isClosed).toBe(true)
    expect(march.days.filter(({ isClosed }) => isClosed)).toHaveLength(9)
    const october = await readCalendar(db.pool, campaign, '2027-10')
    expect(october.days.find(({ date }) => date === '2027-10-31')?.clockMinutes).toBe(-60)
  })

  test('is as the emails are, whether ticks have added up or not', async () => {
    const draft = await planned(30, [0, 1], {})
    const counted = async () => (await months(draft)).all.reduce((sum, { waiting }) => sum + waiting, 0)
    expect(await counted()).toBe(60)
    while ((await addUpCounts(db.pool)) > 0);
    expect(await counted()).toBe(60)
  })
})

describe('the activity of a campaign', () => {
  test('has who added whom, page by page, and what the worker did by day', async () => {
    const draft = await makeDraft(db.pool, 3, [0])
    const add = (ids: string[]) =>
      inTransaction(db.pool, (tx) => enrolProspects(tx, draft.workspaceId, draft.campaignId, ids, actor))
    const other = await makeDraft(db.pool, 4, [0], { workspaceId: draft.workspaceId })
    for (const id of other.prospectIds) await add([id])
    // Nobody new: nothing was done.
    await add(other.prospectIds)
    const first = await listActs(db.pool, { ...draft, id: draft.campaignId }, { limit: 3 })
    const rest = await listActs(
      db.pool,
      { ...draft, id: draft.campaignId },
      { limit: 3, before: first.nextBefore ?? 0 },
    )
    expect([...first.acts, ...rest.acts]).toHaveLength(4)
    expect(rest.nextBefore).toBeNull()
    expect(first.acts[0]).toMatchObject({
      action: 'campaign.people-added',
      actorEmail: actor.email,
      details: { people: 1 },
    })
    expect(await readLastDays(db.pool, { ...draft, id: draft.campaignId })).toEqual([])
  })
})
