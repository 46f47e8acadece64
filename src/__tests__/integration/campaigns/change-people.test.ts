import { expect, test } from 'vitest'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()

async function enrolmentsOf(campaignId: string) {
  const { rows } = await db.pool.query<{ id: string; prospectId: string; state: string; code: string | null }>(
    `SELECT id, prospect_id AS "prospectId", state, reason_code AS code FROM campaign_prospects WHERE campaign_id = $1 ORDER BY id`,
    [campaignId],
  )
  return rows
}

async function change(
  { workspaceId, campaignId }: Pick<Draft, 'workspaceId' | 'campaignId'>,
  action: Parameters<typeof changePeople>[3]['action'],
  enrolmentIds: string[],
) {
  return inTransaction(db.pool, (tx) => changePeople(tx, workspaceId, campaignId, { action, enrolmentIds }, actor))
}

test('a resume sets going what the pause has parked', async () => {
  const due = await makeDueCampaign(db.pool, { prospects: 1 })
  const ids = (await enrolmentsOf(due.campaignId)).map(({ id }) => id)
  expect(await change(due, 'pause', ids)).toEqual({ changed: 1, cancelled: 0 })
  expect(await change(due, 'pause', ids)).toEqual({ changed: 0, cancelled: 0 })
  await db.pool.query(
    `UPDATE scheduled_emails SET blocker = 'prospect-active', ready_at = NULL WHERE campaign_id = $1`,
    [due.campaignId],
  )
  expect(await change(due, 'resume', ids)).toEqual({ changed: 1, cancelled: 0 })
  const { rows } = await db.pool.query(
    'SELECT blocker, ready_at = scheduled_for AS due FROM scheduled_emails WHERE campaign_id = $1',
    [due.campaignId],
  )
  expect(rows).toEqual([{ blocker: null, due: true }])
})

test('who is taken out gets nothing more of this campaign, all others do, and the ledgers balance', async () => {
  const draft = await makeDraft(db.pool, 3, [0, 2])
  const other = await makeDraft(db.pool, 0, [0], { workspaceId: draft.workspaceId })
  await inTransaction(db.pool, (tx) =>
    enrolProspects(tx, draft.workspaceId, other.campaignId, draft.prospectIds.slice(0, 1)),
  )
  await launch(db.pool, draft)
  await launch(db.pool, other)
  await runTick(db.pool, 'test', silent)
  const [first] = await enrolmentsOf(draft.campaignId)
  expect(await change(draft, 'remove', [first?.id ?? ''])).toEqual({ changed: 1, cancelled: 2 })
  const { emails, balances } = await readLedger(db.pool, draft.campaignId)
  expect(emails).toMatchObject({ CANCELLED: 2, SCHEDULED: 4, wanted: 6 })
  expect(balances).toBe(true)
  expect((await readLedger(db.pool, other.campaignId)).emails).toMatchObject({ SCHEDULED: 1, CANCELLED: 0 })
  const { rows } = await db.pool.query(
    `SELECT details FROM audit_log WHERE action = 'campaign.people-changed' AND target_id = $1`,
    [draft.campaignId],
  )
  expect(rows).toEqual([{ details: { action: 'removed', people: 1 } }])
})

test('who is taken out before the plan stays out, also when the sequence changes, until somebody puts them back', async () => {
  const draft = await makeDraft(db.pool, 2, [0])
  const [first, second] = await enrolmentsOf(draft.campaignId)
  const ids = [first?.id ?? '']
  await change(draft, 'remove', ids)
  const sequence = await makeDraft(db.pool, 0, [0], { workspaceId: draft.workspaceId })
  await inTransaction(db.pool, (tx) =>
    changeCampaign(tx, draft.workspaceId, draft.campaignId, { sequenceId: sequence.sequenceId }, actor),
  )
  expect(await enrolmentsOf(draft.campaignId)).toMatchObject([
    { id: first?.id, state: 'SKIPPED', code: 'removed' },
    { id: second?.id, state: 'PENDING', code: null },
  ])
  expect(await change(draft, 'put_back', [...ids, second?.id ?? ''])).toEqual({ changed: 1, cancelled: 0 })
  expect((await enrolmentsOf(draft.campaignId)).map(({ state }) => state)).toEqual(['PENDING', 'PENDING'])
})

test('an id of another campaign changes nothing, and a stopped campaign refuses', async () => {
  const [one, two] = [await makeDraft(db.pool, 1, [0]), await makeDraft(db.pool, 1, [0])]
  const [theirs] = await enrolmentsOf(two.campaignId)
  expect(await change(one, 'remove', [theirs?.id ?? ''])).toEqual({ changed: 0, cancelled: 0 })
  expect((await enrolmentsOf(two.campaignId))[0]?.state).toBe('PENDING')
  await launch(db.pool, one)
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [one.campaignId])
  await expect(change(one, 'pause', [theirs?.id ?? ''])).rejects.toMatchObject({ code: 'campaign-stopped' })
})
