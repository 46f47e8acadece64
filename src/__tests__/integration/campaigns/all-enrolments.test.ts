import { beforeAll, describe, expect, test } from 'vitest'
import { ENROLMENT_STATES } from '#lib/campaigns/ledger.ts'
import { type EnrolmentsPage, listAllEnrolments } from '#lib/email-scheduler/read/list-all-enrolments.ts'
import type { EnrolmentFilter } from '#lib/email-scheduler/read/list-enrolments.ts'
import { readWorkspaceLedgers } from '#lib/operations/promise/ledgers.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { watched } from '#tests/support/server/watched.ts'
import { silent } from '#tests/support/silent.ts'

/** Who is in any campaign of a workspace: the rows behind the ledger of all campaigns. */
const db = testDatabase()

type Filter = Pick<EnrolmentFilter, 'state' | 'search'>
type Rows = EnrolmentsPage['enrolments']

/** All pages, one after the other. */
async function all(workspaceId: string, filter: Filter, limit: number): Promise<Rows> {
  const found: Rows = []
  for (let cursor: string | undefined; ; ) {
    const page = await listAllEnrolments(db.pool, workspaceId, filter, { limit, cursor })
    found.push(...page.enrolments)
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

describe('everybody in every campaign', () => {
  test('stands in exactly one row of each, the newest campaign first, and each state has as many as the ledger says', async () => {
    const first = await makeDraft(db.pool, 23, [0])
    const { workspaceId } = first
    await launch(db.pool, first)
    const steps = { workspaceId, sequenceId: first.sequenceId }
    const second = await makeDraft(db.pool, 11, [], steps)
    const empty = await makeDraft(db.pool, 0, [], steps)
    const third = await makeDraft(db.pool, 5, [], steps)
    await db.pool.query(`UPDATE prospects SET replied_at = app_now() WHERE id = ANY($1::uuid[])`, [
      [...first.prospectIds.slice(0, 4), ...third.prospectIds.slice(0, 2)],
    ])
    await runTick(db.pool, 'test', silent)

    const { enrolments: counts } = await readWorkspaceLedgers(db.pool, workspaceId)
    expect(counts.total).toBe(39)
    for (const limit of [1, 7, 50]) {
      const rows = await all(workspaceId, {}, limit)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(39)
      const campaigns = rows.map(({ campaign }) => campaign.id)
      expect(campaigns).toEqual(campaigns.toSorted().reverse())
      expect(new Set(campaigns)).toEqual(new Set([third.campaignId, second.campaignId, first.campaignId]))
      expect(campaigns).not.toContain(empty.campaignId)
      for (const { campaignId } of [first, second, third]) {
        const ids = rows.filter(({ campaign }) => campaign.id === campaignId).map(({ id }) => id)
        expect(ids).toEqual(ids.toSorted())
      }
    }
    for (const state of ENROLMENT_STATES) {
      const rows = await all(workspaceId, { state }, 4)
      expect(rows.map((row) => row.state)).toEqual(Array(counts[state]).fill(state))
    }
  })

  test('is found by a part of the name in each campaign, page after page', async () => {
    const first = await makeDraft(db.pool, 3, [0])
    const { workspaceId } = first
    await db.pool.query(`UPDATE prospects SET last_name = 'Lovelace' WHERE id = ANY($1::uuid[])`, [
      first.prospectIds.slice(0, 2),
    ])
    const other = await makeDraft(db.pool, 2, [0], { workspaceId })
    await db.pool.query(`UPDATE prospects SET last_name = 'Lovelace' WHERE id = $1`, [other.prospectIds[0]])
    const search = { text: 'lovel', hash: () => Buffer.alloc(32) }
    const found = await all(workspaceId, { search }, 2)
    expect(found.map(({ campaign }) => campaign.id)).toEqual([other.campaignId, first.campaignId, first.campaignId])
    expect((await all(workspaceId, { search, state: 'FINISHED' }, 2)).length).toBe(0)
  })

  test('and nobody of another workspace, whose place in the list is none here', async () => {
    const [ours, theirs] = [await makeDraft(db.pool, 3, [0]), await makeDraft(db.pool, 3, [0])]
    const foreign = (await all(theirs.workspaceId, {}, 50))[0]?.id
    const found = await listAllEnrolments(db.pool, ours.workspaceId, {}, { cursor: foreign, limit: 50 })
    expect(found.enrolments.map(({ prospectId }) => prospectId).sort()).toEqual(ours.prospectIds.toSorted())
    const search = { text: '@', hash: () => Buffer.alloc(32) }
    const searched = await all(ours.workspaceId, { search }, 50)
    expect(searched.map(({ prospectId }) => prospectId).sort()).toEqual(ours.prospectIds.toSorted())
  })
})

describe('at size', () => {
  const CAMPAIGNS = 60
  let one: TestCampaign

  // One large campaign, and many on top of it, half of them without anybody.
  beforeAll(async () => {
    one = await makeCampaign(db.pool)
    await inTransaction(db.pool, async (tx) => {
      await makeEmails(tx, one, 6_000)
      const { rows } = await tx.query<{ id: string }>(
        `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, launched_at, created_at, updated_at)
         SELECT gen_random_uuid(), workspace_id, sequence_id, 'More', status, launched_at, created_at, updated_at
         FROM campaigns, generate_series(1, $2) WHERE id = $1 RETURNING id`,
        [one.campaignId, CAMPAIGNS],
      )
      const people = await makeProspects(tx, one.workspaceId, 300)
      for (const { id } of rows.slice(CAMPAIGNS / 2))
        await tx.query(
          `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps)
           SELECT gen_random_uuid(), $1, $2, id, 'ACTIVE', app_now(), 0 FROM unnest($3::uuid[]) AS p(id)`,
          [one.workspaceId, id, people],
        )
      await makeEmails(tx, await makeCampaign(tx), 4_000)
    })
    await vacuum(db.pool, 'campaigns', 'scheduled_emails', 'campaign_prospects', 'prospects')
  })

  test.each<[string, Filter, boolean]>([
    ['all', {}, false],
    ['all, further on', {}, true],
    ['those of one state', { state: 'ACTIVE' }, false],
    ['those of one state, further on', { state: 'ACTIVE' }, true],
    ['those of a state that nobody is in', { state: 'BLOCKED' }, false],
  ])(
    'a page of %s asks the ledger’s index, campaign after campaign, and stops once it is full',
    async (_name, filter, isFurther) => {
      const first = await listAllEnrolments(db.pool, one.workspaceId, filter, { limit: 350 })
      const { sql, asked } = watched(db.pool)
      const cursor = isFurther ? (first.nextCursor ?? undefined) : undefined
      const page = await listAllEnrolments(sql, one.workspaceId, filter, { limit: 50, cursor })
      expect(page.enrolments).toHaveLength(filter.state === 'BLOCKED' ? 0 : 50)
      const plans = await Promise.all(asked.map(({ text, values }) => planOf(db.pool, text, values)))
      expect(plans[0]).toContain('campaign_prospects_ledger_idx')
      for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (campaign_prospects|scheduled_emails|prospects)/)
      expect(plans[0]).not.toMatch(/Rows Removed by Filter: [1-9]\d{2,}/)
      // A page is full after one campaign or two, so no other is asked.
      const rounds = [...(plans[0] ?? '').matchAll(/campaign_prospects_ledger_idx[^\n]*loops=(\d+)/g)]
      const states = filter.state ? 1 : ENROLMENT_STATES.length
      if (filter.state !== 'BLOCKED')
        for (const [, loops] of rounds) expect(Number(loops)).toBeLessThanOrEqual((CAMPAIGNS / 2) * states)
    },
  )
})

async function planOf(sql: Sql, text: string, values: unknown[]): Promise<string> {
  const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${text}`, values)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
