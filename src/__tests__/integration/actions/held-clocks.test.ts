import { expect, test } from 'vitest'
import { branchingOn } from '#tests/support/actions/branching-on.ts'
import { branch, email, wait } from '#tests/support/data/branching.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const on = branchingOn(db)

test('a pause between the email and the branch that counts from it holds the time of the branch as well', async () => {
  const nodes = [email(1), wait('w', 1), branch('b', 'CUSTOM', 3, [email(2)], [email(3)], 'bought')]
  const campaign = await on.sent(nodes, { steps: 3 })
  await on.pause(campaign)
  await db.travel('5 days')
  await on.tick()
  await on.resume(campaign)
  await on.tick()
  await db.travel('1 day 1 minute')
  await on.tick()
  // A day of the three has passed that the pause did not hold.
  expect(await on.standsAt(campaign)).toBe('BRANCH b')
  await db.travel('1 day 23 hours')
  await on.tick()
  expect(await on.standsAt(campaign)).toBe('BRANCH b')
  await db.travel('2 hours')
  await on.tick()
  expect(await on.stepsOf(campaign)).toBe('1 SENT, 3 SCHEDULED')
})

test('a wait until a moment is over at that moment, though the campaign was paused before; what passes in a pause goes on after it', async () => {
  const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '2 days' AS at`)
  const until = { kind: 'until' as const, at: rows[0]?.at.toISOString() ?? '' }
  const nodes = [email(1), { id: 'w', type: 'wait' as const, for: until }, email(2)]
  const [before, across] = [await on.make(nodes, { steps: 2 }), await on.make(nodes, { steps: 2 })]
  await on.sendAndMove()
  await on.pause(before)
  await db.travel('1 day')
  await on.resume(before)
  await on.pause(across)
  await db.travel('1 day 1 minute')
  await on.tick()
  expect(await on.stepsOf(before)).toBe('1 SENT, 2 SCHEDULED')
  expect(await on.standsAt(across)).toBe('WAITING w')
  await db.travel('1 day')
  await on.resume(across)
  await on.tick()
  await on.tick()
  expect(await on.stepsOf(across)).toBe('1 SENT, 2 SCHEDULED')
})
