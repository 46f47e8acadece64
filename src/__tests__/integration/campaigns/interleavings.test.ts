import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { endCampaign, pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { scheduleBatch } from '#lib/email-scheduler/plan/schedule-batch.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { always, type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { heldOpen as holdOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const touched = new Map<string, Draft>()

async function running(...args: Parameters<typeof makeDraft> extends [unknown, ...infer Rest] ? Rest : never) {
  const draft = await makeDraft(db.pool, ...args)
  touched.set(draft.campaignId, draft)
  await launch(db.pool, draft)
  return draft
}

const schedule = (draft: Draft) => scheduleEmailsForCampaign(db.pool, draft, always)
const tick = () => runTick(db.pool, 'test', silent)
const stop = ({ workspaceId, campaignId }: Draft) => stopCampaign(db.pool, workspaceId, campaignId, actor, () => true)

const heldOpen = (work: Parameters<typeof inTransaction>[1]) => holdOpen(db.pool, work)

const batchOf = ({ workspaceId, campaignId }: Draft) =>
  heldOpen(async (tx) => {
    const result = await scheduleBatch(tx, new PlanningSession(), { workspaceId, id: campaignId }, silent)
    expect(result.kind).toBe('planned')
  })

/** After whatever happened: both ledgers balance, the plan is sound, and nothing waits where nothing may. */
afterEach(async () => {
  for (const { workspaceId, campaignId } of touched.values()) {
    expect(await readLedger(db.pool, campaignId)).toMatchObject({ balances: true })
    expect(await auditPlan(db.pool, workspaceId)).toEqual([])
    const { status } = await findCampaign(db.pool, workspaceId, campaignId)
    const { enrolments, emails } = await readLedger(db.pool, campaignId)
    if (status === 'STOPPED')
      expect([enrolments.PENDING, enrolments.BLOCKED, emails.SCHEDULED, emails.RETRY_SCHEDULED]).toEqual([0, 0, 0, 0])
  }
  touched.clear()
})

test('a stop while a batch commits waits for it and cancels what it inserted', async () => {
  const draft = await running(60, [0, 2], { batchSize: 20 })
  const batch = await batchOf(draft)
  const stopping = stop(draft)
  await sleep(100)
  await batch.commit()
  expect(await stopping).toMatchObject({ cancelled: 40 })
  await tick()
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({
    enrolments: { FINISHED: 20, SKIPPED: 40 },
    emails: { CANCELLED: 40 },
  })
})

test('a batch that comes while a stop commits finds the stop', async () => {
  const draft = await running(60, [0, 2], { batchSize: 20 })
  const stopping = await heldOpen((tx) => endCampaign(tx, draft.workspaceId, draft.campaignId, actor))
  const scheduling = schedule(draft)
  await sleep(100)
  await stopping.commit()
  expect(await scheduling).toMatchObject({ scheduled: 0, errors: [expect.stringMatching(/not running/)] })
  // The process that stopped it died before it cleared anything: the tick does.
  await tick()
})

test('a stop in the middle of scheduling by request and by ticks strands nothing', async () => {
  const draft = await running(400, [0, 1, 2], { batchSize: 10 })
  const work = Promise.all([schedule(draft), tick(), tick()])
  await sleep(150)
  await stop(draft)
  await work
  await tick()
  expect((await readLedger(db.pool, draft.campaignId)).emails).toMatchObject({ SCHEDULED: 0 })
})

test('enrolling while scheduling passes nobody over', async () => {
  const draft = await running(100, [0, 1], { batchSize: 10 })
  const late = await makeProspects(db.pool, draft.workspaceId, 50)
  const enrolling = async () => {
    for (let from = 0; from < late.length; from += 5)
      await inTransaction(db.pool, (tx) =>
        enrolProspects(tx, draft.workspaceId, draft.campaignId, late.slice(from, from + 5)),
      )
  }
  await Promise.all([schedule(draft), enrolling(), tick()])
  await tick()
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({
    enrolments: { ACTIVE: 150, PENDING: 0 },
    emails: { total: 300 },
  })
})

test('a campaign does not close over an enrolment that is just committing', async () => {
  const draft = await running(3, [0])
  await tick()
  await inTransaction(db.pool, (tx) =>
    cancelWaiting(tx, draft.workspaceId, { campaignId: draft.campaignId }, 'BY_PERSON'),
  )
  const late = await makeProspects(db.pool, draft.workspaceId, 1)
  const enrolling = await heldOpen((tx) => enrolProspects(tx, draft.workspaceId, draft.campaignId, late))
  const closing = tick()
  await sleep(200)
  await enrolling.commit()
  expect((await closing).campaignsClosed).toBe(0)
  await tick()
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({ emails: { SCHEDULED: 1, CANCELLED: 3 } })
})

test('pausing and resuming in the middle of scheduling loses nothing and plans nothing twice', async () => {
  const draft = await running(300, [0, 1], { batchSize: 10 })
  const { workspaceId, campaignId } = draft
  const scheduling = schedule(draft)
  await sleep(80)
  await inTransaction(db.pool, (tx) => pauseCampaign(tx, workspaceId, campaignId, actor))
  const { errors, remaining } = await scheduling
  expect(errors).toEqual([expect.stringMatching(/not running/)])
  await tick()
  expect((await readLedger(db.pool, campaignId)).enrolments.PENDING).toBe(remaining)
  await inTransaction(db.pool, (tx) => resumeCampaign(tx, workspaceId, campaignId, actor))
  await Promise.all([schedule(draft), tick()])
  expect(await readLedger(db.pool, campaignId)).toMatchObject({ enrolments: { ACTIVE: 300 }, emails: { total: 600 } })
})

test('the same sequence in two campaigns at once takes each prospect through it once', async () => {
  const one = await running(80, [0, 2], { batchSize: 15 })
  const two = await makeDraft(db.pool, 20, [], {
    workspaceId: one.workspaceId,
    sequenceId: one.sequenceId,
    batchSize: 15,
  })
  touched.set(two.campaignId, two)
  await inTransaction(db.pool, (tx) => enrolProspects(tx, two.workspaceId, two.campaignId, one.prospectIds))
  await launch(db.pool, two)
  await Promise.all([schedule(one), schedule(two), tick()])
  const ledgers = await Promise.all([one, two].map(({ campaignId }) => readLedger(db.pool, campaignId)))
  expect(ledgers.reduce((sum, { enrolments }) => sum + enrolments.ACTIVE, 0)).toBe(100)
  expect(ledgers.reduce((sum, { enrolments }) => sum + enrolments.SKIPPED, 0)).toBe(80)
  expect(ledgers.reduce((sum, { emails }) => sum + emails.total, 0)).toBe(200)
})

test('a prospect that leaves while their batch commits keeps no email', async () => {
  const draft = await running(10, [0, 2], { batchSize: 10 })
  const [leaver = ''] = draft.prospectIds
  const batch = await batchOf(draft)
  const leaving = inTransaction(db.pool, async (tx) => {
    await tx.query('UPDATE prospects SET unsubscribed_at = app_now() WHERE id = $1', [leaver])
    return cancelWaiting(tx, draft.workspaceId, { prospectId: leaver }, 'PROSPECT_UNSUBSCRIBED')
  })
  await sleep(100)
  await batch.commit()
  expect(await leaving).toBe(2)
  await tick()
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({
    enrolments: { ACTIVE: 9, FINISHED: 1 },
    emails: { SCHEDULED: 18, CANCELLED: 2 },
  })
})
