import { describe, expect, test } from 'vitest'
import { findCampaign, sequenceIsInUse } from '#lib/campaigns/campaign.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { editSequence } from '#lib/email-scheduler/effects/edit-sequence.ts'
import { inTransaction, tryOut } from '#lib/platform/database.ts'
import { archiveSequence } from '#lib/sequences/archive-sequence.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import type { StepInput } from '#lib/sequences/step-changes.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft, textOf } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const tick = () => runTick(db.pool, 'test', silent)
const edit = ({ workspaceId, sequenceId }: Draft, steps: StepInput[], run = inTransaction) =>
  run(db.pool, (tx) => editSequence(tx, workspaceId, sequenceId, { steps }, actor))
const stepsOf = async ({ workspaceId, sequenceId }: Draft) =>
  (await loadSequence(db.pool, workspaceId, sequenceId)).steps
const ledgerOf = ({ campaignId }: Draft) => readLedger(db.pool, campaignId)

async function planned(prospects: number, delays: number[]) {
  const draft = await makeDraft(db.pool, prospects, delays)
  await launch(db.pool, draft)
  await tick()
  return draft
}

const sendStep = ({ campaignId }: Draft, stepNumber: number) =>
  inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now(), ready_at = NULL WHERE campaign_id = $1 AND step_number = $2`,
      [campaignId, stepNumber],
    )
    await tx.query('SELECT recount_emails(), recount_people()')
  })

describe('before the launch', () => {
  test('anything goes: steps are put in, taken away and moved', async () => {
    const draft = await makeDraft(db.pool, 0, [0, 2, 3])
    const [, second, third] = await stepsOf(draft)
    if (!second || !third) throw new Error('three steps were written')
    const { effect } = await edit(draft, [third, second])
    expect(effect).toMatchObject({
      emailsReworded: 0,
      emailsMoved: 0,
      enrolmentsExtended: 0,
      campaigns: 0,
      example: null,
    })
    expect((await stepsOf(draft)).map(({ stepNumber, delayDays }) => [stepNumber, delayDays])).toEqual([
      [1, 3],
      [2, 2],
    ])
  })
})

describe('once launched', () => {
  test.each([
    ['takes a step away', (steps: StepInput[]) => steps.slice(0, 1)],
    ['puts one before', (steps: StepInput[]) => [textOf(0), ...steps]],
    ['swaps two', (steps: StepInput[]) => steps.toReversed()],
    ['does not say which step is which', (steps: StepInput[]) => steps.map(({ stepNumber: _, ...step }) => step)],
  ])('an edit that %s is refused, and nothing changes', async (_what, change) => {
    const draft = await planned(2, [0, 1])
    const before = await stepsOf(draft)
    await expect(edit(draft, change(before))).rejects.toMatchObject({ status: 409, code: 'steps-are-fixed' })
    expect(await stepsOf(draft)).toEqual(before)
  })

  test('Postgres refuses it too, by any statement', async () => {
    const draft = await planned(1, [0, 1])
    const refused = /keeps its steps/
    await expect(
      db.pool.query('DELETE FROM sequence_steps WHERE sequence_id = $1', [draft.sequenceId]),
    ).rejects.toThrow(refused)
    await expect(
      db.pool.query('UPDATE sequence_steps SET step_number = step_number + 5 WHERE sequence_id = $1', [
        draft.sequenceId,
      ]),
    ).rejects.toThrow(refused)
  })

  test('texts change for what waits, and how many that are is counted before', async () => {
    const draft = await planned(7, [0, 1])
    await sendStep(draft, 1)
    const steps = (await stepsOf(draft)).map((step) => ({ ...step, subject: 'Other words' }))
    const preview = await edit(draft, steps, tryOut)
    expect(preview.effect).toMatchObject({ emailsReworded: 7, emailsMoved: 0, enrolmentsExtended: 0, campaigns: 1 })
    expect(preview.effect.emailsSent).toBe(7)
    expect(preview.effect.example).toMatchObject({ stepNumber: 2, prospectId: expect.stringMatching(/-/) })
    expect(draft.prospectIds).toContain(preview.effect.example?.prospectId)
    expect((await stepsOf(draft))[0]?.subject).toBe('Hello')
    expect((await edit(draft, steps)).effect).toEqual(preview.effect)
    expect((await stepsOf(draft))[0]?.subject).toBe('Other words')
  })

  test('a text that is not right is refused, since what is saved is sent', async () => {
    const draft = await planned(1, [0])
    const steps = (await stepsOf(draft)).map((step) => ({ ...step, subject: '{{nick}}' }))
    await expect(edit(draft, steps)).rejects.toMatchObject({ status: 409, code: 'sequence-in-use' })
  })

  test('a text that needs more blocks who is not planned yet', async () => {
    const draft = await makeDraft(db.pool, 3, [0])
    await launch(db.pool, draft)
    const steps = (await stepsOf(draft)).map((step) => ({ ...step, bodyText: 'of {{company}}' }))
    await edit(draft, steps)
    expect((await ledgerOf(draft)).enrolments).toMatchObject({ BLOCKED: 3, PENDING: 0 })
    await edit(
      draft,
      steps.map((step) => ({ ...step, bodyText: 'of {{company | "yours"}}' })),
    )
    await tick()
    expect((await ledgerOf(draft)).enrolments).toMatchObject({ BLOCKED: 0, ACTIVE: 3 })
  })

  test('a wait that changes has what waits planned again, and what was sent stays', async () => {
    const draft = await planned(30, [0, 2, 2])
    await sendStep(draft, 1)
    const [first, second, third] = await stepsOf(draft)
    if (!first || !second || !third) throw new Error('three steps were written')
    const { effect } = await edit(draft, [first, { ...second, delayDays: 9 }, third])
    expect(effect).toMatchObject({ emailsMoved: 60, emailsReworded: 0 })
    const claimable = await db.pool.query(
      `SELECT FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SCHEDULED' AND ready_at IS NOT NULL`,
      [draft.campaignId],
    )
    expect(claimable.rowCount).toBe(0)
    expect((await tick()).emailsReplanned).toBe(60)
    const { rows } = await db.pool.query(
      `SELECT e.step_number, min(e.local_date - p.local_date) >= CASE e.step_number WHEN 2 THEN 9 ELSE 2 END AS waits
       FROM scheduled_emails e JOIN scheduled_emails p ON p.campaign_prospect_id = e.campaign_prospect_id AND p.step_number = e.step_number - 1
       WHERE e.campaign_id = $1 GROUP BY 1 ORDER BY 1`,
      [draft.campaignId],
    )
    expect(rows).toEqual([
      { step_number: 2, waits: true },
      { step_number: 3, waits: true },
    ])
  })

  test('an appended step comes to everybody planned, once, in whatever state they are', async () => {
    const draft = await planned(40, [0])
    await sendStep(draft, 1)
    const [cancelled = '', left = ''] = draft.prospectIds
    await inTransaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(
        `UPDATE scheduled_emails SET status = 'CANCELLED', sent_at = NULL, cancelled_at = app_now(), cancel_reason = 'BY_PERSON' WHERE prospect_id = $1`,
        [cancelled],
      )
      await tx.query('UPDATE prospects SET replied_at = app_now() WHERE id = $1', [left])
      await tx.query('SELECT recount_emails(), recount_people()')
    })
    expect((await tick()).campaignsClosed).toBe(1)

    const { effect } = await edit(draft, [...(await stepsOf(draft)), textOf(3)])
    expect(effect).toMatchObject({ enrolmentsExtended: 40 })
    const summaries = await Promise.all([tick(), tick(), tick()])
    expect(summaries.reduce((sum, { emailsAppended }) => sum + emailsAppended, 0)).toBe(40)
    expect((await tick()).emailsAppended).toBe(0)
    expect(await ledgerOf(draft)).toMatchObject({
      balances: true,
      enrolments: { ACTIVE: 38, FINISHED: 2 },
      emails: { total: 80, SENT: 39, SCHEDULED: 38, CANCELLED: 3 },
    })
    const { rows } = await db.pool.query(
      `SELECT cancel_reason AS reason, ready_at IS NOT NULL AS claimable, count(*)::int FROM scheduled_emails
       WHERE campaign_id = $1 AND step_number = 2 GROUP BY 1, 2 ORDER BY 1 NULLS LAST`,
      [draft.campaignId],
    )
    expect(rows).toEqual([
      { reason: 'PREDECESSOR_CANCELLED', claimable: false, count: 1 },
      { reason: 'PROSPECT_REPLIED', claimable: false, count: 1 },
      { reason: null, claimable: true, count: 38 },
    ])
    expect((await findCampaign(db.pool, draft.workspaceId, draft.campaignId)).status).toBe('RUNNING')
  })

  test('a step appended while scheduling runs comes to those before it and after it alike', async () => {
    const draft = await makeDraft(db.pool, 200, [0, 1], { batchSize: 20 })
    await launch(db.pool, draft)
    const ticking = tick()
    await edit(draft, [...(await stepsOf(draft)), textOf(1)])
    await ticking
    await tick()
    expect(await ledgerOf(draft)).toMatchObject({ balances: true, emails: { total: 600 } })
    expect(await auditPlan(db.pool, draft.workspaceId)).toEqual([])
  })
})

test('a sequence leaves the lists only when no campaign is on it', async () => {
  const draft = await planned(2, [0])
  const archive = () =>
    inTransaction(db.pool, (tx) => archiveSequence(tx, draft.workspaceId, draft.sequenceId, actor, sequenceIsInUse))
  await expect(archive()).rejects.toMatchObject({ status: 409, code: 'sequence-in-use' })
  await inTransaction(db.pool, async (tx) => {
    await tx.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [draft.campaignId])
    await cancelWaiting(tx, draft.workspaceId, { campaignId: draft.campaignId }, 'CAMPAIGN_STOPPED')
  })
  await archive()
  expect(await loadSequence(db.pool, draft.workspaceId, draft.sequenceId)).toMatchObject({
    archivedAt: expect.any(Date),
  })
})
