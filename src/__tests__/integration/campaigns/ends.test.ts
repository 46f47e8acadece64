import { describe, expect, test } from 'vitest'
import { loadCampaign } from '#lib/campaigns/campaign.ts'
import { type CampaignChange, changeCampaign } from '#lib/campaigns/draft.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { actOnOne } from '#lib/email-scheduler/verbs/act.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { actionsOf, tick } from '#tests/support/data/branching.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const DAY_MS = 24 * 60 * 60_000
const inDays = async (days: number) => new Date((await appNow(db.pool)).getTime() + days * DAY_MS)

test('a campaign whose end has passed is not launched, only to be stopped for good', async () => {
  const draft = await makeDraft(db.pool, 1, [0])
  const { workspaceId, campaignId } = draft
  const endsAt = await inDays(2)
  await inTransaction(db.pool, (tx) => changeCampaign(tx, workspaceId, campaignId, { endsAt }, actor))
  await expect(launch(db.pool, draft, await inDays(3))).rejects.toMatchObject({
    status: 409,
    code: 'ends-before-start',
  })
  await db.travel('3 days')
  await expect(launch(db.pool, draft)).rejects.toMatchObject({ status: 409, code: 'ends-before-start' })
  await inTransaction(db.pool, (tx) => changeCampaign(tx, workspaceId, campaignId, { endsAt: null }, actor))
  expect(await launch(db.pool, draft)).toMatchObject({ status: 'RUNNING' })
})

test('a campaign that waits for its start is not given an end before it', async () => {
  const draft = await makeDraft(db.pool, 1, [0])
  const { workspaceId, campaignId } = draft
  await launch(db.pool, draft, await inDays(5))
  const endsAt = await inDays(4)
  await expect(
    inTransaction(db.pool, (tx) => changeCampaign(tx, workspaceId, campaignId, { endsAt }, actor)),
  ).rejects.toMatchObject({ status: 409, code: 'ends-before-start' })
})

test('a campaign that was sent before its end takes nobody in after it', async () => {
  const draft = await makeDraft(db.pool, 0, [0])
  const { workspaceId, campaignId } = draft
  const [one, two] = await makeProspects(db.pool, workspaceId, 2)
  const enrol = (prospectId = '') =>
    inTransaction(db.pool, (tx) => enrolProspects(tx, workspaceId, campaignId, [prospectId]))
  await enrol(one)
  const endsAt = await inDays(2)
  await inTransaction(db.pool, (tx) => changeCampaign(tx, workspaceId, campaignId, { endsAt }, actor))
  await launch(db.pool, draft)
  await db.pool.query(`UPDATE campaigns SET status = 'SENT' WHERE id = $1`, [campaignId])
  await db.travel('3 days')
  await expect(enrol(two)).rejects.toMatchObject({ status: 409, code: 'campaign-ended' })
  const { rows } = await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [campaignId])
  expect(rows).toEqual([{ status: 'SENT' }])
  await inTransaction(db.pool, (tx) => changeCampaign(tx, workspaceId, campaignId, { endsAt: null }, actor))
  expect(await enrol(two)).toMatchObject({ enrolled: 1 })
})

describe('a campaign that was sent by its end, and that a person set going again after it', () => {
  async function setGoing() {
    const draft = await makeDraft(db.pool, 1, [0])
    const { workspaceId, campaignId } = draft
    const first = await inDays(2)
    const does = <T>(verb: (tx: Sql) => Promise<T>) => inTransaction(db.pool, verb)
    const edit = (change: CampaignChange) => does((tx) => changeCampaign(tx, workspaceId, campaignId, change, actor))
    const becomes = async () => {
      await tick(db.pool)
      return (await loadCampaign(db.pool, workspaceId, campaignId))?.status
    }
    await edit({ endsAt: first })
    await launch(db.pool, draft)
    await tick(db.pool)
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM scheduled_emails WHERE campaign_id = $1', [
      campaignId,
    ])
    const act = (action: 'cancel' | 'restore') =>
      does((tx) => actOnOne(tx, workspaceId, rows[0]?.id ?? '', { action }, actor))
    await act('cancel')
    expect(await becomes()).toBe('SENT')
    await db.travel('3 days')
    expect(await becomes()).toBe('SENT')
    expect(await actionsOf(db.pool, draft)).toEqual(['END_CAMPAIGN COMPLETED'])
    await act('restore')
    expect(await becomes()).toBe('RUNNING')
    return { draft, does, edit, becomes }
  }

  test('goes on when it is paused, resumed or renamed: that end is done', async () => {
    const { draft, does, edit, becomes } = await setGoing()
    const { workspaceId, campaignId } = draft
    await does((tx) => pauseCampaign(tx, workspaceId, campaignId, actor))
    expect(await becomes()).toBe('PAUSED')
    await does((tx) => resumeCampaign(tx, workspaceId, campaignId, actor))
    expect(await becomes()).toBe('RUNNING')
    await edit({ name: 'Summer' })
    expect(await becomes()).toBe('RUNNING')
    expect(await actionsOf(db.pool, draft)).toEqual(['END_CAMPAIGN COMPLETED'])
  })

  test('is stopped at the end that it is given after that', async () => {
    const { draft, edit, becomes } = await setGoing()
    await edit({ endsAt: await inDays(1) })
    expect(await becomes()).toBe('RUNNING')
    await db.travel('25 hours')
    expect(await becomes()).toBe('STOPPED')
    expect(await actionsOf(db.pool, draft)).toEqual(['END_CAMPAIGN COMPLETED', 'END_CAMPAIGN COMPLETED'])
  })
})
