import { describe, expect, test } from 'vitest'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { branchingOn, first } from '#tests/support/actions/branching-on.ts'
import { branch, email, makeBranching, wait } from '#tests/support/data/branching.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const on = branchingOn(db)

describe('a branch', () => {
  test('plans what is certain, and what follows it when it is taken', async () => {
    const campaign = await on.make()
    const who = first(campaign)
    expect(await on.stepsOf(campaign, who)).toBe('1 SCHEDULED')
    await on.sendAndMove()
    expect(await on.standsAt(campaign, who)).toBe('BRANCH b')
    expect(await on.stepsOf(campaign, who)).toBe('1 SENT')
    await on.happens(campaign, who)
    await on.tick()
    expect(await on.stepsOf(campaign, who)).toBe('1 SENT, 2 SCHEDULED, 4 SCHEDULED')
    expect(await readLedger(db.pool, campaign.campaignId)).toMatchObject({
      balances: true,
      emails: { wanted: 3, total: 3 },
    })
    expect(await on.actionsOf(campaign, 'TIMEOUT')).toEqual(['TIMEOUT CANCELLED LEFT_NODE'])
  })

  test('goes the other way when its time is over, and not before', async () => {
    const campaign = await on.make()
    const who = first(campaign)
    await on.sendAndMove()
    await db.travel('2 days 23 hours')
    await on.tick()
    expect(await on.standsAt(campaign, who)).toBe('BRANCH b')
    await db.travel('1 hour 1 minute')
    await on.tick()
    expect(await on.stepsOf(campaign, who)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
    await on.sendAndMove()
    await on.sendAndMove()
    await on.tick()
    expect(await on.stepsOf(campaign, who)).toBe('1 SENT, 3 SENT, 4 SENT')
    expect(await on.standsAt(campaign, who)).toBe('ENDED WALKED_THROUGH')
    const { rows } = await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [campaign.campaignId])
    expect(rows).toEqual([{ status: 'SENT' }])
  })

  test('after a wait sends once the wait is over', async () => {
    const campaign = await on.make([email(1), wait('w', 2), email(2)], { steps: 2 })
    const who = first(campaign)
    await on.sendAndMove()
    expect(await on.standsAt(campaign, who)).toBe('WAITING w')
    await db.travel('2 days 1 minute')
    await on.tick()
    expect(await on.stepsOf(campaign, who)).toBe('1 SENT, 2 SCHEDULED')
  })

  test('inside another is come to by the way that leads there', async () => {
    const campaign = await makeBranching(
      db.pool,
      [email(1), branch('b', 'CUSTOM', 1, [], [branch('c', 'CUSTOM', 2, [email(2)], [email(3)], 'called')], 'bought')],
      { steps: 3 },
    )
    const who = first(campaign)
    await on.sendAndMove()
    await db.travel('1 day 1 minute')
    await on.tick()
    expect(await on.standsAt(campaign, who)).toBe('BRANCH c')
    await on.happens(campaign, who, { name: 'called' })
    await on.tick()
    expect(await on.stepsOf(campaign, who)).toBe('1 SENT, 2 SCHEDULED')
  })
})
