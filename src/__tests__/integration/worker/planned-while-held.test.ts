import { expect, test } from 'vitest'
import { readMaybeSent } from '#lib/email-scheduler/read/after-restore.ts'
import { holdSending, liftHold } from '#lib/email-scheduler/send/hold.ts'
import { FORK, makeBranching, sendAndMove, stepsOf, tick } from '#tests/support/data/branching.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('after a restore, what is planned because time has passed may have been sent, and is told with the rest', async () => {
  const campaign = await makeBranching(db.pool, FORK)
  const { workspaceId } = campaign
  await sendAndMove(db.pool)
  // The backup is of this moment; the time-out was taken and its email sent by the server that was lost.
  await db.travel('4 days')
  await holdSending(db.pool)
  expect(await readMaybeSent(db.pool, { workspaceId, limit: 10 })).toEqual([])
  await tick(db.pool)
  expect(await stepsOf(db.pool, campaign, campaign.prospectIds[0] ?? '')).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  const told = await readMaybeSent(db.pool, { workspaceId, limit: 10 })
  expect(told).toMatchObject([{ campaignId: campaign.campaignId, emails: 2 }])
  await liftHold(db.pool, 'olga')
})

test('what people set going while sending is held is nothing that may have been sent', async () => {
  await holdSending(db.pool)
  const campaign = await makeBranching(db.pool, FORK)
  expect(await readMaybeSent(db.pool, { workspaceId: campaign.workspaceId, limit: 10 })).toEqual([])
  await liftHold(db.pool, 'olga')
})
