import { expect, test } from 'vitest'
import { afterRestore } from '#cli/doctor/after-restore.ts'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import {
  FIRST_MOVE_PEOPLE,
  isToMovePeople,
  readMaybeSent,
  sumMaybeSent,
} from '#lib/email-scheduler/read/after-restore.ts'
import { holdSending, liftHold } from '#lib/email-scheduler/send/hold.ts'
import { readRowsBehind } from '#lib/operations/overview/rows-behind.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { FORK, makeBranching, sendAndMove, standsAt, stepsOf, tick } from '#tests/support/data/branching.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('after a restore, what is planned because time has passed may have been sent, and is told with the rest', async () => {
  const campaign = await makeBranching(db.pool, FORK)
  const { workspaceId } = campaign
  await sendAndMove(db.pool)
  // The backup is of this moment; the time-out was taken and its email sent by the server that was lost.
  await db.travel('4 days')
  await holdSending(db.pool)
  // Before any tick: whom it may concern, and that sending cannot go on before it is known with which emails.
  expect(await readMaybeSent(db.pool, { workspaceId, limit: 10 })).toMatchObject([
    { campaignId: campaign.campaignId, emails: 1, doubt: 'NOT_PLANNED' },
  ])
  expect(await isToMovePeople(db.pool)).toBe(true)
  await expect(afterRestore(db.pool, () => undefined, { lift: true, yes: true })).rejects.toThrow(FIRST_MOVE_PEOPLE)
  await tick(db.pool)
  expect(await isToMovePeople(db.pool)).toBe(false)
  expect(await stepsOf(db.pool, campaign, campaign.prospectIds[0] ?? '')).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  const told = await readMaybeSent(db.pool, { workspaceId, limit: 10 })
  expect(told).toMatchObject([{ campaignId: campaign.campaignId, emails: 2, doubt: 'IN_BETWEEN' }])
  expect(await sumMaybeSent(db.pool, workspaceId)).toMatchObject({ emails: 2 })
  await liftHold(db.pool, 'olga')
})

test('who was moved on and cannot be planned is told of as long as sending is held, and holds nothing up', async () => {
  const campaign = await makeBranching(db.pool, FORK)
  const { workspaceId, campaignId } = campaign
  await sendAndMove(db.pool)
  await inTransaction(db.pool, async (tx) => {
    await tx.query('UPDATE campaigns SET pause_holds_clock = false WHERE id = $1', [campaignId])
    await pauseCampaign(tx, workspaceId, campaignId, actor)
  })
  await db.travel('4 days')
  await holdSending(db.pool)
  await tick(db.pool)
  expect(await standsAt(db.pool, campaign, campaign.prospectIds[0] ?? '')).toBe('PLAN e3')
  const told = await readMaybeSent(db.pool, { workspaceId, limit: 10 })
  expect(told).toMatchObject([{ campaignId, emails: 1, doubt: 'NOT_PLANNED' }])
  const group = { doubt: 'NOT_PLANNED', mailboxId: told[0]?.mailboxId ?? '', campaignId } as const
  for (const behind of [{ what: 'maybe-sent' }, { what: 'maybe-sent-of-group', ...group }] as const) {
    expect(await readRowsBehind(db.pool, workspaceId, behind, { limit: 10 })).toMatchObject({
      total: 1,
      rows: [{ prospectId: campaign.prospectIds[0], campaign: { id: campaignId } }],
    })
  }
  expect(await isToMovePeople(db.pool)).toBe(false)
  await liftHold(db.pool, 'olga')
})

test('what people set going while sending is held is nothing that may have been sent', async () => {
  await holdSending(db.pool)
  const campaign = await makeBranching(db.pool, FORK)
  expect(await readMaybeSent(db.pool, { workspaceId: campaign.workspaceId, limit: 10 })).toEqual([])
  await liftHold(db.pool, 'olga')
})
