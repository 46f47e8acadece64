import { expect, test } from 'vitest'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { inTransaction } from '#lib/platform/database.ts'
import {
  type Branching,
  branch,
  email,
  makeBranching,
  sendAndMove,
  standsAt,
  stepsOf,
  tick,
  wait,
} from '#tests/support/data/branching.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const first = ({ prospectIds }: Branching) => prospectIds[0] ?? ''

const paused = (campaign: Branching) =>
  inTransaction(db.pool, (tx) => pauseCampaign(tx, campaign.workspaceId, campaign.campaignId, actor))
const resumed = (campaign: Branching) =>
  inTransaction(db.pool, (tx) => resumeCampaign(tx, campaign.workspaceId, campaign.campaignId, actor))

test('a pause between the email and the branch that counts from it holds the time of the branch as well', async () => {
  const nodes = [email(1), wait('w', 1), branch('b', 'CUSTOM', 3, [email(2)], [email(3)], 'bought')]
  const campaign = await makeBranching(db.pool, nodes, { steps: 3 })
  await sendAndMove(db.pool)
  await paused(campaign)
  await db.travel('5 days')
  await tick(db.pool)
  await resumed(campaign)
  await tick(db.pool)
  await db.travel('1 day 1 minute')
  await tick(db.pool)
  // A day of the three has passed that the pause did not hold.
  expect(await standsAt(db.pool, campaign, first(campaign))).toBe('BRANCH b')
  await db.travel('1 day 23 hours')
  await tick(db.pool)
  expect(await standsAt(db.pool, campaign, first(campaign))).toBe('BRANCH b')
  await db.travel('2 hours')
  await tick(db.pool)
  expect(await stepsOf(db.pool, campaign, first(campaign))).toBe('1 SENT, 3 SCHEDULED')
})

test('a wait until a moment is over at that moment, though the campaign was paused before; what passes in a pause goes on after it', async () => {
  const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '2 days' AS at`)
  const until = { kind: 'until' as const, at: rows[0]?.at.toISOString() ?? '' }
  const nodes = [email(1), { id: 'w', type: 'wait' as const, for: until }, email(2)]
  const [before, across] = [
    await makeBranching(db.pool, nodes, { steps: 2 }),
    await makeBranching(db.pool, nodes, { steps: 2 }),
  ]
  await sendAndMove(db.pool)
  await paused(before)
  await db.travel('1 day')
  await resumed(before)
  await paused(across)
  await db.travel('1 day 1 minute')
  await tick(db.pool)
  expect(await stepsOf(db.pool, before, first(before))).toBe('1 SENT, 2 SCHEDULED')
  expect(await standsAt(db.pool, across, first(across))).toBe('WAITING w')
  await db.travel('1 day')
  await resumed(across)
  await tick(db.pool)
  await tick(db.pool)
  expect(await stepsOf(db.pool, across, first(across))).toBe('1 SENT, 2 SCHEDULED')
})
