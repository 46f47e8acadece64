import { beforeAll, describe, expect, test } from 'vitest'
import { listEnrolments } from '#lib/email-scheduler/read/list-enrolments.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { GraphNode } from '#lib/sequences/graph/node-types.ts'
import { branchingOn, first } from '#tests/support/actions/branching-on.ts'
import { type Branching, branch, email, FORK, wait } from '#tests/support/data/branching.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** A person who left by mistake has a way back, and goes on where they stood. */
const db = testDatabase()
const on = branchingOn(db)

async function listed(campaign: Branching) {
  const { enrolments } = await listEnrolments(
    db.pool,
    { id: campaign.campaignId, workspaceId: campaign.workspaceId },
    {},
    { limit: 5 },
  )
  const [one] = enrolments
  return { left: one?.left ?? null, canPutBack: one?.canPutBack, state: one?.state }
}

beforeAll(() => on.tick())

describe('who left while they waited at a branch', () => {
  test('goes on where they stood once a reply that was none is taken back, with the deadline as it was', async () => {
    const campaign = await on.sent()
    expect(await listed(campaign)).toEqual({ left: null, canPutBack: false, state: 'ACTIVE' })
    await on.change(campaign, { replied: true })
    await on.tick()
    expect(await listed(campaign)).toEqual({ left: 'The person replied.', canPutBack: false, state: 'FINISHED' })
    expect((await on.people(campaign, 'put_back')).changed).toBe(0)
    await on.change(campaign, { replied: false })
    expect(await listed(campaign)).toMatchObject({ canPutBack: true })
    await db.travel('1 day')
    expect([(await on.people(campaign, 'put_back')).changed, (await on.people(campaign, 'put_back')).changed]).toEqual([
      1, 0,
    ])
    expect(await listed(campaign)).toEqual({ left: null, canPutBack: false, state: 'ACTIVE' })
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
    await db.travel('1 day 23 hours')
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
    await db.travel('1 hour 1 minute')
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('counts what happened while they were away, and a time that has passed', async () => {
    const [bought, late] = [await on.sent(), await on.sent()]
    for (const campaign of [bought, late]) await on.people(campaign, 'remove')
    await on.happens(bought)
    await db.travel('5 days')
    for (const campaign of [bought, late]) {
      expect(await listed(campaign)).toMatchObject({ left: 'A person wanted it so.', canPutBack: true })
      await on.people(campaign, 'put_back')
    }
    await on.tick()
    expect(await on.stepsOf(bought)).toBe('1 SENT, 2 SCHEDULED, 4 SCHEDULED')
    expect(await on.stepsOf(late)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('is not taken the way of a reply that was taken back, wherever that way has led', async () => {
    for (const yes of [[], [{ id: 'x', type: 'end' }]] satisfies GraphNode[][]) {
      const campaign = await on.sent([email(1), branch('b', 'REPLIED', 3, yes, [email(2)]), email(3), email(4)])
      await on.change(campaign, { replied: true })
      await on.tick()
      expect(await on.standsAt(campaign)).toMatch(/^ENDED/)
      await on.change(campaign, { replied: false })
      expect((await on.people(campaign, 'put_back')).changed).toBe(1)
      await on.tick()
      expect(await on.standsAt(campaign)).toBe('BRANCH b')
      await on.change(campaign, { replied: true })
      await on.tick()
      expect(await on.standsAt(campaign)).toMatch(/^ENDED/)
    }
  })

  test('waits for as much longer as pauses have held the clock, also while they were away', async () => {
    const campaign = await on.sent()
    await on.people(campaign, 'remove')
    await on.pause(campaign)
    await db.travel('2 days')
    await on.resume(campaign)
    await on.people(campaign, 'put_back')
    await db.travel('2 days 23 hours')
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
    await db.travel('1 hour 1 minute')
    for (let ticks = 0; ticks < 2; ticks += 1) await on.tick()
    expect(await on.stepsOf(campaign)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('stays out while anything else speaks against it: a suppression, an unsubscribe, a stopped campaign', async () => {
    const campaign = await on.sent()
    const { consequences } = await on.audienceOf(campaign)
    await db.pool.query(
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source, created_at)
       SELECT gen_random_uuid(), workspace_id, 'ADDRESS', email, email_hash, 'PERSON', app_now() FROM prospects WHERE id = $1`,
      [first(campaign)],
    )
    await inTransaction(db.pool, (tx) => consequences.cancelWaiting(tx, first(campaign), 'suppressed'))
    expect(await on.standsAt(campaign)).toBe('ENDED SUPPRESSED')
    expect((await on.people(campaign, 'put_back')).changed).toBe(0)
    await db.pool.query('DELETE FROM suppressions WHERE workspace_id = $1', [campaign.workspaceId])
    expect((await on.people(campaign, 'put_back')).changed).toBe(1)
    await on.change(campaign, { unsubscribed: true })
    expect(await listed(campaign)).toMatchObject({ left: 'The person unsubscribed.', canPutBack: false })
    expect((await on.people(campaign, 'put_back')).changed).toBe(0)
  })
})

test('who left in a wait, on the way to an email or just behind one goes on from there', async () => {
  const toPlan = await on.sent()
  await db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [toPlan.campaignId])
  await on.happens(toPlan)
  await on.tick()
  expect(await on.standsAt(toPlan)).toBe('PLAN e2')
  await on.people(toPlan, 'remove')
  await db.pool.query(`UPDATE campaigns SET status = 'RUNNING' WHERE id = $1`, [toPlan.campaignId])
  const behind = await on.make()
  // Handed over while they left: the journey has ended by then, and the email is sent.
  await db.pool.query(
    `UPDATE journeys SET state = 'ENDED', ended_at = app_now(), ended_reason = 'BY_PERSON' WHERE campaign_id = $1`,
    [behind.campaignId],
  )
  const inWait = await on.sent([email(1), wait('w', 2), ...FORK.slice(1)])
  await on.people(inWait, 'remove')
  for (const campaign of [toPlan, behind, inWait]) {
    expect(await on.standsAt(campaign)).toBe('ENDED BY_PERSON')
    expect((await on.people(campaign, 'put_back')).changed).toBe(1)
  }
  expect(await on.standsAt(toPlan)).toBe('PLAN e2')
  expect(await on.standsAt(inWait)).toBe('WAITING w')
  await on.tick()
  expect(await on.standsAt(toPlan)).toBe('EMAIL e4')
  expect(await on.standsAt(behind)).toBe('BRANCH b')
  await db.travel('2 days 1 minute')
  await on.tick()
  expect(await on.standsAt(inWait)).toBe('BRANCH b')
})

test('after all of this the doctor finds nothing', async () => {
  await on.tick()
  expect(await examine(db.pool)).toEqual([])
})
