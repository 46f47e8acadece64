import { beforeAll, expect, test } from 'vitest'
import { ACTIONS_TO_TAKE_BACK } from '#lib/actions/claim.ts'
import { RELEASE_HELD, releaseHeld } from '#lib/actions/take-back.ts'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { type Branching, FORK, makeBranching, sendAndMove } from '#tests/support/data/branching.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'

const db = testDatabase()
const HELD = 50_000
let campaign: Branching

beforeAll(async () => {
  await makeBranching(db.pool, FORK)
  campaign = await makeBranching(db.pool, FORK)
  const { workspaceId, campaignId } = campaign
  await sendAndMove(db.pool)
  await inTransaction(db.pool, (tx) => pauseCampaign(tx, workspaceId, campaignId, actor))
  await inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `INSERT INTO scheduled_actions (workspace_id, type, status, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id)
       SELECT workspace_id, type, 'HELD', 'held:' || n, app_now(), campaign_id, gen_random_uuid(), gen_random_uuid(), node_id
       FROM scheduled_actions, generate_series(1, $2) n WHERE campaign_id = $1 AND type = 'TIMEOUT'`,
      [campaignId, HELD],
    )
  })
  await vacuum(db.pool, 'scheduled_actions', 'campaigns')
})

async function buffersOf(text: string): Promise<number> {
  let buffers = 0
  await inTransaction(db.pool, async (tx) => {
    const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    )
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    buffers = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
    throw new Error('taken back')
  }).catch((error: Error) => expect(error.message).toBe('taken back'))
  return buffers
}

test('what a pause holds costs a tick a look for each campaign, and not for each person', async () => {
  expect(await buffersOf(`SELECT EXISTS (${ACTIONS_TO_TAKE_BACK})`)).toBeLessThan(100)
  expect(await buffersOf(RELEASE_HELD)).toBeLessThan(100)
  expect(await releaseHeld(db.pool)).toBe(0)
})

test('once it is over, all of them come back, some at a time', async () => {
  const { workspaceId, campaignId } = campaign
  await inTransaction(db.pool, (tx) => resumeCampaign(tx, workspaceId, campaignId, actor))
  let released = 0
  for (let some = -1; some !== 0; ) {
    some = await releaseHeld(db.pool)
    released += some
  }
  expect(released).toBe(HELD)
})
