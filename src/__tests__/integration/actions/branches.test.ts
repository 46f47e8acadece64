import { describe, expect, test } from 'vitest'
import { readLedger } from '#lib/campaigns/ledger.ts'
import {
  actionsOf,
  branch,
  email,
  FORK,
  happens,
  makeBranching,
  sendAndMove,
  standsAt,
  stepsOf,
  tick,
  wait,
} from '#tests/support/data/branching.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

const first = ({ prospectIds }: { prospectIds: string[] }) => prospectIds[0] ?? ''

describe('a branch', () => {
  test('plans what is certain, and what follows it when it is taken', async () => {
    const campaign = await makeBranching(db.pool, FORK)
    const who = first(campaign)
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SCHEDULED')
    await sendAndMove(db.pool)
    expect(await standsAt(db.pool, campaign, who)).toBe('BRANCH b')
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SENT')
    await happens(db.pool, campaign, who)
    await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SENT, 2 SCHEDULED, 4 SCHEDULED')
    expect(await readLedger(db.pool, campaign.campaignId)).toMatchObject({
      balances: true,
      emails: { wanted: 3, total: 3 },
    })
    expect(await actionsOf(db.pool, campaign, 'TIMEOUT')).toEqual(['TIMEOUT CANCELLED LEFT_NODE'])
  })

  test('goes the other way when its time is over, and not before', async () => {
    const campaign = await makeBranching(db.pool, FORK)
    const who = first(campaign)
    await sendAndMove(db.pool)
    await db.travel('2 days 23 hours')
    await tick(db.pool)
    expect(await standsAt(db.pool, campaign, who)).toBe('BRANCH b')
    await db.travel('1 hour 1 minute')
    await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
    await sendAndMove(db.pool)
    await sendAndMove(db.pool)
    await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SENT, 3 SENT, 4 SENT')
    expect(await standsAt(db.pool, campaign, who)).toBe('ENDED WALKED_THROUGH')
    const { rows } = await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [campaign.campaignId])
    expect(rows).toEqual([{ status: 'SENT' }])
  })

  test('after a wait sends once the wait is over', async () => {
    const campaign = await makeBranching(db.pool, [email(1), wait('w', 2), email(2)], { steps: 2 })
    const who = first(campaign)
    await sendAndMove(db.pool)
    expect(await standsAt(db.pool, campaign, who)).toBe('WAITING w')
    await db.travel('2 days 1 minute')
    await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SENT, 2 SCHEDULED')
  })

  test('inside another is come to by the way that leads there', async () => {
    const campaign = await makeBranching(
      db.pool,
      [email(1), branch('b', 'CUSTOM', 1, [], [branch('c', 'CUSTOM', 2, [email(2)], [email(3)], 'called')], 'bought')],
      { steps: 3 },
    )
    const who = first(campaign)
    await sendAndMove(db.pool)
    await db.travel('1 day 1 minute')
    await tick(db.pool)
    expect(await standsAt(db.pool, campaign, who)).toBe('BRANCH c')
    await happens(db.pool, campaign, who, { name: 'called' })
    await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, who)).toBe('1 SENT, 2 SCHEDULED')
  })
})
