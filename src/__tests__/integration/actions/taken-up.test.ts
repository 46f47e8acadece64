import { beforeAll, describe, expect, test } from 'vitest'
import { changeProspect, type ProspectChange } from '#lib/audience/prospects/change-prospect.ts'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { listEnrolments } from '#lib/email-scheduler/read/list-enrolments.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { GraphNode } from '#lib/sequences/graph/node-types.ts'
import {
  type Branching,
  branch,
  email,
  enrolmentsOf,
  FORK,
  happens,
  makeBranching,
  sendAndMove,
  standsAt,
  stepsOf,
  tick,
  wait,
} from '#tests/support/data/branching.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { audienceOf } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** Whoever left by mistake has a way back, and goes on where they stood. */
const db = testDatabase()
const KEY = makeKey('test')
const first = ({ prospectIds }: Branching) => prospectIds[0] ?? ''

async function change(campaign: Branching, wanted: ProspectChange) {
  const { workspaceId, hash, consequences } = await audienceOf(db.pool, campaign.workspaceId, KEY)
  await inTransaction(db.pool, (tx) =>
    changeProspect(tx, workspaceId, hash, first(campaign), wanted, actor, consequences),
  )
}

const people = async (campaign: Branching, action: 'remove' | 'put_back') =>
  inTransaction(db.pool, async (tx) =>
    changePeople(
      tx,
      campaign.workspaceId,
      campaign.campaignId,
      { action, enrolmentIds: await enrolmentsOf(db.pool, campaign) },
      actor,
    ),
  )

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

async function atTheBranch(nodes: GraphNode[] = FORK): Promise<Branching> {
  const campaign = await makeBranching(db.pool, nodes)
  await sendAndMove(db.pool)
  return campaign
}

beforeAll(() => tick(db.pool))

describe('who left while they waited at a branch', () => {
  test('goes on where they stood once a reply that was none is taken back, with the deadline as it was', async () => {
    const campaign = await atTheBranch()
    expect(await listed(campaign)).toEqual({ left: null, canPutBack: false, state: 'ACTIVE' })
    await change(campaign, { replied: true })
    await tick(db.pool)
    expect(await listed(campaign)).toEqual({ left: 'The person replied.', canPutBack: false, state: 'FINISHED' })
    expect((await people(campaign, 'put_back')).changed).toBe(0)
    await change(campaign, { replied: false })
    expect(await listed(campaign)).toMatchObject({ canPutBack: true })
    await db.travel('1 day')
    expect([(await people(campaign, 'put_back')).changed, (await people(campaign, 'put_back')).changed]).toEqual([1, 0])
    expect(await listed(campaign)).toEqual({ left: null, canPutBack: false, state: 'ACTIVE' })
    await tick(db.pool)
    expect(await standsAt(db.pool, campaign, first(campaign))).toBe('BRANCH b')
    await db.travel('1 day 23 hours')
    await tick(db.pool)
    expect(await standsAt(db.pool, campaign, first(campaign))).toBe('BRANCH b')
    await db.travel('1 hour 1 minute')
    await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, first(campaign))).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('counts what happened while they were away, and a time that has passed', async () => {
    const [bought, late] = [await atTheBranch(), await atTheBranch()]
    for (const campaign of [bought, late]) await people(campaign, 'remove')
    await happens(db.pool, bought, first(bought))
    await db.travel('5 days')
    for (const campaign of [bought, late]) {
      expect(await listed(campaign)).toMatchObject({ left: 'A person wanted it so.', canPutBack: true })
      await people(campaign, 'put_back')
    }
    await tick(db.pool)
    expect(await stepsOf(db.pool, bought, first(bought))).toBe('1 SENT, 2 SCHEDULED, 4 SCHEDULED')
    expect(await stepsOf(db.pool, late, first(late))).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('is not taken the way of a reply that was taken back, wherever that way has led', async () => {
    for (const yes of [[], [{ id: 'x', type: 'end' }]] satisfies GraphNode[][]) {
      const campaign = await atTheBranch([email(1), branch('b', 'REPLIED', 3, yes, [email(2)]), email(3), email(4)])
      await change(campaign, { replied: true })
      await tick(db.pool)
      expect(await standsAt(db.pool, campaign, first(campaign))).toMatch(/^ENDED/)
      await change(campaign, { replied: false })
      expect((await people(campaign, 'put_back')).changed).toBe(1)
      await tick(db.pool)
      expect(await standsAt(db.pool, campaign, first(campaign))).toBe('BRANCH b')
      await change(campaign, { replied: true })
      await tick(db.pool)
      expect(await standsAt(db.pool, campaign, first(campaign))).toMatch(/^ENDED/)
    }
  })

  test('waits for as much longer as pauses have held the clock, also while they were away', async () => {
    const campaign = await atTheBranch()
    const { workspaceId, campaignId } = campaign
    await people(campaign, 'remove')
    await inTransaction(db.pool, (tx) => pauseCampaign(tx, workspaceId, campaignId, actor))
    await db.travel('2 days')
    await inTransaction(db.pool, (tx) => resumeCampaign(tx, workspaceId, campaignId, actor))
    await people(campaign, 'put_back')
    await db.travel('2 days 23 hours')
    await tick(db.pool)
    expect(await standsAt(db.pool, campaign, first(campaign))).toBe('BRANCH b')
    await db.travel('1 hour 1 minute')
    for (let ticks = 0; ticks < 2; ticks += 1) await tick(db.pool)
    expect(await stepsOf(db.pool, campaign, first(campaign))).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('stays out while anything else speaks against it: a suppression, an unsubscribe, a stopped campaign', async () => {
    const campaign = await atTheBranch()
    const { consequences } = await audienceOf(db.pool, campaign.workspaceId, KEY)
    await db.pool.query(
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source, created_at)
       SELECT gen_random_uuid(), workspace_id, 'ADDRESS', email, email_hash, 'PERSON', app_now() FROM prospects WHERE id = $1`,
      [first(campaign)],
    )
    await inTransaction(db.pool, (tx) => consequences.cancelWaiting(tx, first(campaign), 'suppressed'))
    expect(await standsAt(db.pool, campaign, first(campaign))).toBe('ENDED SUPPRESSED')
    expect((await people(campaign, 'put_back')).changed).toBe(0)
    await db.pool.query('DELETE FROM suppressions WHERE workspace_id = $1', [campaign.workspaceId])
    expect((await people(campaign, 'put_back')).changed).toBe(1)
    await change(campaign, { unsubscribed: true })
    expect(await listed(campaign)).toMatchObject({ left: 'The person unsubscribed.', canPutBack: false })
    expect((await people(campaign, 'put_back')).changed).toBe(0)
  })
})

test('who left in a wait, on the way to an email or just behind one goes on from there', async () => {
  const toPlan = await atTheBranch()
  await db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [toPlan.campaignId])
  await happens(db.pool, toPlan, first(toPlan))
  await tick(db.pool)
  expect(await standsAt(db.pool, toPlan, first(toPlan))).toBe('PLAN e2')
  await people(toPlan, 'remove')
  await db.pool.query(`UPDATE campaigns SET status = 'RUNNING' WHERE id = $1`, [toPlan.campaignId])
  const behind = await makeBranching(db.pool, FORK)
  // Handed over while they left: the journey has ended by then, and the email is sent.
  await db.pool.query(
    `UPDATE journeys SET state = 'ENDED', ended_at = app_now(), ended_reason = 'BY_PERSON' WHERE campaign_id = $1`,
    [behind.campaignId],
  )
  const inWait = await atTheBranch([email(1), wait('w', 2), ...FORK.slice(1)])
  await people(inWait, 'remove')
  for (const campaign of [toPlan, behind, inWait]) {
    expect(await standsAt(db.pool, campaign, first(campaign))).toBe('ENDED BY_PERSON')
    expect((await people(campaign, 'put_back')).changed).toBe(1)
  }
  expect(await standsAt(db.pool, toPlan, first(toPlan))).toBe('PLAN e2')
  expect(await standsAt(db.pool, inWait, first(inWait))).toBe('WAITING w')
  await tick(db.pool)
  expect(await standsAt(db.pool, toPlan, first(toPlan))).toBe('EMAIL e4')
  expect(await standsAt(db.pool, behind, first(behind))).toBe('BRANCH b')
  await db.travel('2 days 1 minute')
  await tick(db.pool)
  expect(await standsAt(db.pool, inWait, first(inWait))).toBe('BRANCH b')
})

test('after all of this the doctor finds nothing', async () => {
  await tick(db.pool)
  expect(await examine(db.pool)).toEqual([])
})
