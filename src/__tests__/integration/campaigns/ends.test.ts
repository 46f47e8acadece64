import { expect, test } from 'vitest'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction } from '#lib/platform/database.ts'
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
