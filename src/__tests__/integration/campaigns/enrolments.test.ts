import { beforeAll, describe, expect, test } from 'vitest'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { ENROLMENT_REASONS } from '#lib/campaigns/enrolment-reasons.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { type EnrolmentFilter, type EnrolmentPage, listEnrolments } from '#lib/email-scheduler/read/list-enrolments.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { watched } from '#tests/support/server/watched.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const noHash = () => Buffer.alloc(32)
const tick = () => runTick(db.pool, 'test', silent)

type Of = Pick<Draft, 'workspaceId' | 'campaignId'>
const list = (
  { workspaceId, campaignId }: Of,
  filter: EnrolmentFilter = {},
  page: { cursor?: string; limit: number } = { limit: 50 },
  sql: Sql = db.pool,
) => listEnrolments(sql, { id: campaignId, workspaceId }, filter, page)

/** All pages, one after the other. */
async function all(of: Of, filter: EnrolmentFilter, limit: number): Promise<EnrolmentPage['enrolments']> {
  const found: EnrolmentPage['enrolments'] = []
  for (let cursor: string | undefined; ; ) {
    const page = await list(of, filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.enrolments)
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

describe('who is in a campaign', () => {
  test('is told with the reason why not, in words and by code, and the counts are the ledger’s', async () => {
    const { workspaceId } = await makeDraft(db.pool, 0, [0])
    const steps = [{ delayDays: 0, subject: 'Hi {{firstName}}', bodyText: 'A word.', bodyHtml: '' }]
    const { id: sequenceId } = await inTransaction(db.pool, (tx) =>
      createSequence(tx, workspaceId, { name: 'Named', steps }),
    )
    const draft = await makeDraft(db.pool, 6, [], { workspaceId, sequenceId })
    const [fine = '', lacking = '', ...others] = draft.prospectIds
    await db.pool.query(`UPDATE prospects SET first_name = 'Ann' WHERE id <> $1`, [lacking])
    const columns = ['unsubscribed_at', 'archived_at', 'bounced_at', 'replied_at']
    for (const [index, column] of columns.entries())
      await db.pool.query(`UPDATE prospects SET ${column} = app_now() WHERE id = $1`, [others[index]])
    await launch(db.pool, draft)
    await tick()

    const { enrolments, counts } = await list(draft)
    const reasons = new Map(enrolments.map(({ prospectId, reason }) => [prospectId, reason]))
    expect(reasons.get(fine)).toBeNull()
    expect(reasons.get(lacking)).toEqual({
      code: 'missing-fields',
      sentence: expect.stringContaining('no first name;'),
    })
    for (const [index, code] of (['unsubscribed', 'archived', 'bounced', 'replied'] as const).entries())
      expect(reasons.get(others[index] ?? '')).toEqual({ code, sentence: ENROLMENT_REASONS[code] })

    expect(counts?.states).toEqual((await readLedger(db.pool, draft.campaignId)).enrolments)
    expect(counts).toMatchObject({
      states: { ACTIVE: 1, BLOCKED: 1, SKIPPED: 4, total: 6 },
      reasons: { 'missing-fields': 1, unsubscribed: 1, archived: 1, bounced: 1, replied: 1 },
    })
    const bounced = await list(draft, { reason: 'bounced' })
    expect(bounced.enrolments.map(({ prospectId }) => prospectId)).toEqual([others[2]])
    expect((await list(draft, { reason: 'bounced', state: 'BLOCKED' })).enrolments).toEqual([])

    // Another campaign on the same sequence: who has a place in the first is covered, and says so.
    const second = await makeDraft(db.pool, 0, [], { workspaceId, sequenceId })
    await inTransaction(db.pool, (tx) => enrolProspects(tx, workspaceId, second.campaignId, [fine]))
    expect((await list(second)).enrolments).toMatchObject([{ state: 'SKIPPED', reason: { code: 'covered' } }])
  })

  test('and is free again when the field is filled: no reason stays behind', async () => {
    const { workspaceId } = await makeDraft(db.pool, 0, [0])
    const steps = [{ delayDays: 0, subject: 'Hi {{company}}', bodyText: 'A word.', bodyHtml: '' }]
    const { id: sequenceId } = await inTransaction(db.pool, (tx) =>
      createSequence(tx, workspaceId, { name: 'Named', steps }),
    )
    const draft = await makeDraft(db.pool, 1, [], { workspaceId, sequenceId })
    expect((await list(draft)).enrolments).toMatchObject([{ state: 'BLOCKED', reason: { code: 'missing-fields' } }])
    await db.pool.query(`UPDATE prospects SET company = 'Acme' WHERE id = $1`, [draft.prospectIds[0]])
    await launch(db.pool, draft)
    await tick()
    expect((await list(draft)).enrolments).toMatchObject([{ state: 'ACTIVE', reason: null }])
  })

  test('is told with the step reached, and the next email and when', async () => {
    const campaign = await makeCampaign(db.pool, { delays: [0, 2, 2] })
    const emails = await makeEmails(db.pool, campaign, 3, 3)
    const of = (person: number, step: number) => emails[person * 3 + step - 1]?.id
    await asReplica(async (tx) => {
      await tx.query(`UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now() WHERE id = ANY($1::uuid[])`, [
        [of(0, 1), of(1, 1), of(1, 2), of(1, 3)],
      ])
      await tx.query(
        `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'PROSPECT_REPLIED', ready_at = NULL
         WHERE id = ANY($1::uuid[])`,
        [[of(2, 1), of(2, 2), of(2, 3)]],
      )
    })
    const { enrolments } = await list(campaign)
    const ofPerson = (person: number) =>
      enrolments.find(({ prospectId }) => prospectId === emails[person * 3]?.prospectId)
    expect(ofPerson(0)).toMatchObject({
      ...{ stepReached: 1, steps: 3 },
      nextEmail: { id: of(0, 2), stepNumber: 2, status: 'SCHEDULED', at: expect.any(Date) },
    })
    expect(ofPerson(1)).toMatchObject({ stepReached: 3, nextEmail: null, cancelled: null })
    expect(ofPerson(2)).toMatchObject({
      ...{ stepReached: 0, nextEmail: null },
      cancelled: { code: 'PROSPECT_REPLIED', sentence: 'The recipient replied.' },
    })
  })

  test('comes page after page without gap or double, whoever joins in between, and is found by a part of the name', async () => {
    const draft = await makeDraft(db.pool, 23, [0])
    const first = await list(draft, {}, { limit: 10 })
    await makeProspects(db.pool, draft.workspaceId, 1)
    expect(first.counts).not.toBeNull()
    expect((await list(draft, {}, { limit: 10, cursor: first.nextCursor ?? '' })).counts).toBeNull()
    const ids = (await all(draft, {}, 7)).map(({ id }) => id)
    expect([ids.length, new Set(ids).size, ids]).toEqual([23, 23, ids.toSorted()])
    expect((await all(draft, { state: 'PENDING' }, 4)).map(({ id }) => id)).toEqual(ids)

    const [one = ''] = draft.prospectIds
    await db.pool.query(`UPDATE prospects SET last_name = 'Lovelace' WHERE id = $1`, [one])
    const search = { text: 'lovel', hash: noHash }
    expect((await list(draft, { search })).enrolments.map(({ prospectId }) => prospectId)).toEqual([one])
    expect((await list(draft, { search, state: 'ACTIVE' })).enrolments).toEqual([])
    const other = await makeDraft(db.pool, 1, [0])
    expect((await list(other, { search })).enrolments).toEqual([])
  })
})

describe('at size', () => {
  let campaign: TestCampaign

  // In runs, as in life: who was enrolled together is in one state together.
  beforeAll(async () => {
    campaign = await makeCampaign(db.pool)
    await inTransaction(db.pool, async (tx) => {
      await makeEmails(tx, campaign, 6_000)
      for (let other = 0; other < 4; other += 1) await makeEmails(tx, await makeCampaign(tx), 4_000)
    })
    await asReplica((tx) =>
      tx.query(
        `UPDATE campaign_prospects SET state = 'SKIPPED', reason = 'x', reason_code = CASE WHEN n < 2990 THEN 'covered' ELSE 'replied' END
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM campaign_prospects WHERE campaign_id = $1) one
         WHERE campaign_prospects.id = one.id AND n <= 3000`,
        [campaign.campaignId],
      ),
    )
    await vacuum(db.pool, 'scheduled_emails', 'campaign_prospects', 'prospects')
  })

  test.each<[string, EnrolmentFilter, string]>([
    ['all', {}, 'campaign_prospects_ledger_idx'],
    ['those of one state', { state: 'ACTIVE' }, 'campaign_prospects_ledger_idx'],
    ['those set aside for a common reason', { reason: 'covered' }, 'campaign_prospects_reason_idx'],
    ['those set aside for a rare reason', { reason: 'replied' }, 'campaign_prospects_reason_idx'],
  ])('a page of %s comes through its index, and reads no more than it holds', async (_name, filter, index) => {
    const { sql, asked } = watched(db.pool)
    const page = await list(campaign, filter, { limit: 50 }, sql)
    expect(page.enrolments.length).toBeGreaterThan(0)
    const plans = await Promise.all(asked.map(({ text, values }) => planOf(text, values)))
    expect(plans[0]).toContain(index)
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (campaign_prospects|scheduled_emails|prospects)/)
    // What was looked at and thrown away, in the part that chooses the page.
    expect(plans[0]).not.toMatch(/Rows Removed by Filter: [1-9]\d{2,}/)
  })

  async function planOf(text: string, values: unknown[]): Promise<string> {
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${text}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
})

/** States as they come about in weeks, written at once: the triggers would refuse it. */
async function asReplica(work: (tx: Sql) => Promise<unknown>): Promise<void> {
  await inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await work(tx)
  })
}
