import { beforeAll, describe, expect, test } from 'vitest'
import { addMembers, createList } from '#lib/audience/lists.ts'
import { changeProspect } from '#lib/audience/prospects/change-prospect.ts'
import { addSuppression, removeSuppression } from '#lib/audience/suppression/suppressions.ts'
import { recheckProspects } from '#lib/campaigns/blocked.ts'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { type Enrolled, enrolMatching, enrolProspects, type Whom } from '#lib/campaigns/enrol.ts'
import { ENROLMENT_REASONS } from '#lib/campaigns/enrolment-reasons.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { dryRun } from '#lib/email-scheduler/plan/dry-run.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, audienceOf, makeProspects } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const nobody: Enrolled = {
  enrolled: 0,
  blocked: 0,
  covered: 0,
  already: 0,
  suppressed: 0,
  unsubscribed: 0,
  inactive: 0,
  unknown: 0,
}
const tx = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(db.pool, work)
const enrol = ({ workspaceId, campaignId }: Draft, ids: string[]) =>
  tx((client) => enrolProspects(client, workspaceId, campaignId, ids))
const enrolAll = (
  { workspaceId, campaignId }: Draft,
  whom: Whom,
  mayContinue = () => true,
  cursor: string | null = null,
) => enrolMatching(db.pool, workspaceId, campaignId, whom, cursor, mayContinue)
const set = (id: string | undefined, column: string) =>
  db.pool.query(`UPDATE prospects SET ${column} = app_now() WHERE id = $1`, [id])

let audience: Audience
const keyOf = makeKey('test')
async function draftWith(...args: Parameters<typeof makeDraft> extends [unknown, ...infer Rest] ? Rest : never) {
  const draft = await makeDraft(db.pool, ...args)
  audience = await audienceOf(db.pool, draft.workspaceId, keyOf)
  return draft
}
const suppress = (value: string) =>
  addSuppression(
    db.pool,
    audience.workspaceId,
    audience.hash,
    { value, source: 'PERSON' },
    actor,
    audience.consequences.cancelWaiting,
  )

test('everybody asked for is counted once, under what became of them', async () => {
  const draft = await draftWith(2, [0])
  const { workspaceId } = draft
  const [fine = '', gone, archived, bounced, blockedDomain, replied] = await makeProspects(db.pool, workspaceId, 6)
  await set(gone, 'unsubscribed_at')
  await set(archived, 'archived_at')
  await set(bounced, 'bounced_at')
  await set(replied, 'replied_at')
  await db.pool.query(`UPDATE prospects SET email = 'x@mail.bad.test' WHERE id = $1`, [blockedDomain])
  await suppress('bad.test')
  const elsewhere = await makeDraft(db.pool, 1, [0])
  const asked = [
    fine,
    fine,
    gone,
    archived,
    bounced,
    blockedDomain,
    replied,
    ...draft.prospectIds,
    ...elsewhere.prospectIds,
  ]
  expect(await enrol(draft, asked as string[])).toEqual({
    ...nobody,
    enrolled: 1,
    already: 2,
    unsubscribed: 1,
    inactive: 3,
    suppressed: 1,
    unknown: 1,
  })
  expect((await readLedger(db.pool, draft.campaignId)).enrolments).toMatchObject({ PENDING: 3, total: 3 })
})

test('who was taken through the sequence by another campaign is enrolled as skipped, and told of', async () => {
  const one = await draftWith(5, [0, 1])
  await launch(db.pool, one)
  await runTick(db.pool, 'test', silent)
  const { workspaceId, sequenceId } = one
  const two = await makeDraft(db.pool, 2, [], { workspaceId, sequenceId })
  expect(await enrol(two, one.prospectIds)).toEqual({ ...nobody, covered: 5 })
  expect(await enrol(two, one.prospectIds)).toEqual({ ...nobody, already: 5 })
  expect((await readLedger(db.pool, two.campaignId)).enrolments).toMatchObject({ PENDING: 2, SKIPPED: 5 })

  const nobodyNew = await makeDraft(db.pool, 0, [], { workspaceId, sequenceId })
  await enrol(nobodyNew, one.prospectIds)
  const refused = await launch(db.pool, nobodyNew).catch((error: unknown) => error)
  expect(refused).toMatchObject({ details: { problems: [{ code: 'all-covered' }] } })

  const other = await tx((client) =>
    createSequence(client, workspaceId, {
      name: 'Other',
      steps: [{ delayDays: 0, subject: 'x', bodyText: 'x', bodyHtml: '' }],
    }),
  )
  await tx((client) => changeCampaign(client, workspaceId, two.campaignId, { sequenceId: other.id }, actor))
  expect((await readLedger(db.pool, two.campaignId)).enrolments).toMatchObject({ PENDING: 7, SKIPPED: 0 })
})

test('a dry run counts those who are set aside already, and those whom a launch would', async () => {
  const { workspaceId } = await draftWith(0, [0])
  const steps = [{ delayDays: 0, subject: 'Hi {{firstName}}', bodyText: 'x', bodyHtml: '' }]
  const { id: sequenceId } = await tx((client) => createSequence(client, workspaceId, { name: 'Named', steps }))
  const draft = await makeDraft(db.pool, 4, [], { workspaceId, sequenceId })
  const [fine, gone] = draft.prospectIds
  await db.pool.query(`UPDATE prospects SET first_name = 'Ann' WHERE id = ANY($1::uuid[])`, [[fine, gone]])
  await tx((client) => recheckProspects(client, workspaceId, draft.prospectIds))
  await set(gone, 'unsubscribed_at')
  const campaign = await findCampaign(db.pool, workspaceId, draft.campaignId)
  const plan = await dryRun(db.pool, campaign, { limit: 10, mayContinue: () => true })
  expect(plan).toMatchObject({ emails: 1, enrolments: 1, blocked: 2, skipped: 1 })
  await launch(db.pool, draft)
  await runTick(db.pool, 'test', silent)
  const { enrolments } = await readLedger(db.pool, draft.campaignId)
  expect(enrolments).toMatchObject({ ACTIVE: 1, BLOCKED: 2, SKIPPED: 1 })
})

test('who was skipped has a second chance once they may get email again', async () => {
  const draft = await draftWith(3, [0])
  const [one = ''] = draft.prospectIds
  await db.pool.query(`UPDATE prospects SET email = 'y@back.test' WHERE id = $1`, [one])
  const { suppression } = await suppress('back.test')
  await launch(db.pool, draft)
  await runTick(db.pool, 'test', silent)
  expect((await readLedger(db.pool, draft.campaignId)).enrolments).toMatchObject({ ACTIVE: 2, SKIPPED: 1 })
  expect(await enrol(draft, draft.prospectIds)).toEqual({ ...nobody, already: 2, suppressed: 1 })
  await tx((client) => removeSuppression(client, draft.workspaceId, suppression.id, actor))
  expect(await enrol(draft, draft.prospectIds)).toEqual({ ...nobody, already: 2, enrolled: 1 })
  await runTick(db.pool, 'test', silent)
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({ balances: true, enrolments: { ACTIVE: 3 } })
})

describe('many at once', () => {
  let draft: Draft
  beforeAll(async () => {
    draft = await draftWith(0, [0])
    await makeProspects(db.pool, draft.workspaceId, 12_000)
  })

  test('lists are enrolled whole, each prospect once, page by page, and a list of others is not found', async () => {
    const { workspaceId } = draft
    const { rows } = await db.pool.query<{ id: string }>(
      'SELECT id FROM prospects WHERE workspace_id = $1 ORDER BY id',
      [workspaceId],
    )
    const ids = rows.map(({ id }) => id)
    const lists = await Promise.all(['A', 'B'].map((name) => createList(db.pool, workspaceId, name)))
    const listIds = lists.map(({ id }) => id)
    await tx((client) => addMembers(client, workspaceId, listIds[0] ?? '', ids.slice(0, 7_000)))
    await tx((client) => addMembers(client, workspaceId, listIds[1] ?? '', ids.slice(5_000, 11_000)))
    const first = await enrolAll(draft, { listIds }, () => false)
    expect(first).toEqual({ ...nobody, enrolled: 5_000, nextCursor: ids[4_999] })
    expect(await enrolAll(draft, { listIds }, undefined, first.nextCursor)).toEqual({
      ...nobody,
      enrolled: 6_000,
      nextCursor: null,
    })
    expect(await enrolAll(draft, { listIds })).toEqual({ ...nobody, already: 11_000, nextCursor: null })
    const other = await makeDraft(db.pool, 0, [0])
    await expect(enrolAll(other, { listIds })).rejects.toMatchObject({ status: 404 })
    await expect(enrolAll(other, { filter: { listId: listIds[0] ?? '' } })).rejects.toMatchObject({ status: 404 })
  })

  test('a filter enrols whom the list of prospects would show', async () => {
    const fresh = await makeDraft(db.pool, 0, [0], { workspaceId: draft.workspaceId })
    const [one = '', two = '', three = ''] = await makeProspects(db.pool, draft.workspaceId, 3)
    const company = (id: string, name: string) =>
      tx((client) =>
        changeProspect(client, draft.workspaceId, audience.hash, id, { company: name }, actor, audience.consequences),
      )
    await company(one, '50%_Off Ltd')
    await company(two, '50%_off Inc')
    await company(three, '50 x Off')
    await set(two, 'paused_at')
    expect(await enrolAll(fresh, { filter: { search: '50%_OFF', state: 'active' } })).toMatchObject({ enrolled: 1 })
    expect(await enrolAll(fresh, { filter: { search: '50%_OFF' } })).toMatchObject({ enrolled: 1, already: 1 })
    const everybody = await enrolAll(fresh, { filter: {} })
    expect(everybody).toMatchObject({ enrolled: 12_001, already: 2 })
  })

  test('two requests for the same people, in opposite order, wait for each other and do not deadlock', async () => {
    const fresh = await makeDraft(db.pool, 0, [0], { workspaceId: draft.workspaceId })
    const ids = await makeProspects(db.pool, draft.workspaceId, 2_000)
    const answers = await Promise.all(
      [ids, ids.toReversed(), ids, ids.toReversed()].map((asked) => enrol(fresh, asked)),
    )
    expect(answers.reduce((sum, { enrolled }) => sum + enrolled, 0)).toBe(2_000)
    expect(answers.reduce((sum, { already }) => sum + already, 0)).toBe(6_000)
  })
})

test('where the other campaign was stopped before it sent them anything, the reason says so', async () => {
  const one = await draftWith(3, [0, 1])
  await launch(db.pool, one)
  await runTick(db.pool, 'test', silent)
  const { workspaceId, sequenceId, campaignId } = one
  await stopCampaign(db.pool, workspaceId, campaignId, actor, () => true)
  const two = await makeDraft(db.pool, 2, [], { workspaceId, sequenceId })
  expect(await enrol(two, one.prospectIds)).toEqual({ ...nobody, covered: 3 })
  const { rows } = await db.pool.query(
    `SELECT DISTINCT reason FROM campaign_prospects WHERE campaign_id = $1 AND state = 'SKIPPED'`,
    [two.campaignId],
  )
  expect(rows).toEqual([{ reason: ENROLMENT_REASONS['covered-by-stopped'] }])
})
