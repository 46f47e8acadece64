import { beforeAll, describe, expect, test } from 'vitest'
import { CLAIM_OF_CAMPAIGNS, CLAIM_OF_PEOPLE, claimActions, NEXT_ACTION_MS } from '#lib/actions/claim.ts'
import { lockOwnActions, settleActions } from '#lib/actions/settle.ts'
import { ENROLMENTS_PER_LOOK, LOOK_AT_SOME } from '#lib/campaigns/finish.ts'
import { findLacking } from '#lib/campaigns/journeys/lacking.ts'
import { DECIDE_BY_EVENTS } from '#lib/campaigns/journeys/waits.ts'
import { createPool, inTransaction, type Sql } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import {
  type Branching,
  enrolmentsOf,
  FORK,
  happens,
  makeBranching,
  sendAndMove,
} from '#tests/support/data/branching.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { watched } from '#tests/support/server/watched.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const PEOPLE = 100_000
const DUE = 150
let crowd: Branching
let campaign: Branching
let askedAmongFew = 0

/** Outside transactions; of the second tick of a process, which sweeps no more for a while. */
async function statementsOfATick(): Promise<number> {
  const pool = createPool(db.url, 5)
  const { sql, asked } = watched(pool)
  await runTick(sql, 'first', silent)
  asked.length = 0
  await runTick(sql, 'second', silent)
  await pool.end()
  return asked.length
}

/** A hundred thousand people at a branch, each with a time-out to come; of one other workspace a few are due. */
beforeAll(async () => {
  crowd = await makeBranching(db.pool, FORK)
  campaign = await makeBranching(db.pool, FORK, { people: DUE })
  await sendAndMove(db.pool)
  askedAmongFew = await statementsOfATick()
  await inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      'CREATE TEMP TABLE crowd ON COMMIT DROP AS SELECT gen_random_uuid() AS id, gen_random_uuid() AS prospect FROM generate_series(1, $1)',
      [PEOPLE],
    )
    for (const table of ['campaign_prospects', 'journeys', 'journey_waits', 'scheduled_actions'] as const)
      await tx.query(COPIES[table], [crowd.campaignId])
  })
  await db.pool.query(`UPDATE scheduled_actions SET due_at = app_now() WHERE campaign_id = $1 AND type = 'TIMEOUT'`, [
    campaign.campaignId,
  ])
  await vacuum(db.pool, 'campaign_prospects', 'journeys', 'journey_waits', 'scheduled_actions', 'person_events')
})

const COPIES = {
  campaign_prospects: `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps)
    SELECT c.id, workspace_id, campaign_id, c.prospect, state, planned_at, planned_steps FROM campaign_prospects, crowd c WHERE campaign_id = $1`,
  journeys: `INSERT INTO journeys (enrolment_id, workspace_id, campaign_id, prospect_id, sequence_id, graph_version, state, node_id, anchor_email_id, anchored_at)
    SELECT c.id, workspace_id, campaign_id, c.prospect, sequence_id, 1, state, node_id, anchor_email_id, anchored_at FROM journeys, crowd c WHERE campaign_id = $1`,
  journey_waits: `INSERT INTO journey_waits (workspace_id, enrolment_id, prospect_id, node_id, round, anchor_email_id, anchored_at, deadline, event_type, event_name)
    SELECT w.workspace_id, c.id, c.prospect, w.node_id, 1, w.anchor_email_id, w.anchored_at, w.deadline, event_type, event_name
    FROM journey_waits w JOIN campaign_prospects cp ON cp.id = w.enrolment_id, crowd c WHERE cp.campaign_id = $1`,
  scheduled_actions: `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id)
    SELECT workspace_id, type, 'timeout:' || c.id, due_at, campaign_id, c.id, c.prospect, node_id FROM scheduled_actions, crowd c
    WHERE campaign_id = $1 AND type = 'TIMEOUT'`,
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Actual Loops': number
  Plans?: Plan[]
}

const READ = new Set(['campaign_prospects', 'scheduled_actions', 'journeys', 'journey_waits', 'person_events'])

/** What a statement reads of these tables, row by row; nothing of it is kept. */
async function readBy(text: string, values: unknown[]): Promise<{ table: string; by: string; rows: number }[]> {
  const nodes: Plan[] = []
  const visit = (plan: Plan) => {
    nodes.push(plan)
    for (const inner of plan.Plans ?? []) visit(inner)
  }
  const explain = async (sql: Sql) => {
    const { rows } = await sql.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    )
    const [row] = rows
    if (row) visit(row['QUERY PLAN'][0].Plan)
    throw new Error('taken back')
  }
  await inTransaction(db.pool, explain).catch((error: Error) => expect(error.message).toBe('taken back'))
  return nodes.flatMap((node) => {
    const table = node['Relation Name']
    const isOurs = table !== undefined && READ.has(table)
    if (!isOurs || node['Node Type'] === 'ModifyTable') return []
    const looked = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
    return [{ table, by: node['Node Type'], rows: looked * node['Actual Loops'] }]
  })
}

describe('among a hundred thousand people who wait', () => {
  test.each<[string, () => Promise<[string, unknown[]]>, number]>([
    ['the claim of people’s actions reads what it takes', async () => [CLAIM_OF_PEOPLE, ['w']], DUE + 10],
    ['the claim of campaigns’ actions reads what it takes', async () => [CLAIM_OF_CAMPAIGNS, ['w']], 5],
    ['the look for what is next reads an entry for each type', async () => [NEXT_ACTION_MS, []], 9],
    [
      'the look for who has finished reads some thousands',
      async () => [LOOK_AT_SOME, [crowd.campaignId, ENROLMENTS_PER_LOOK]],
      ENROLMENTS_PER_LOOK,
    ],
    [
      'the match of a wait reads the events of its person',
      async () => {
        const [enrolmentId] = await enrolmentsOf(db.pool, campaign)
        await happens(db.pool, campaign, campaign.prospectIds[0] ?? '')
        return [DECIDE_BY_EVENTS, [[enrolmentId]]]
      },
      5,
    ],
  ])('%s', async (_, statement, rowsMax) => {
    const [text, values] = await statement()
    const read = await readBy(text, values)
    expect(read.length).toBeGreaterThan(0)
    for (const one of read) {
      expect(one.by, JSON.stringify(one)).not.toBe('Seq Scan')
      expect(one.rows, JSON.stringify(one)).toBeLessThanOrEqual(rowsMax)
    }
  })

  test('the sweep looks at a stretch of them, and no more', async () => {
    const { endedAt } = await findLacking(db.pool, '00000000-0000-0000-0000-000000000000')
    expect(endedAt).not.toBeNull()
  })

  test('a tick asks as many questions as among a hundred', async () => {
    await runTick(db.pool, 'test', silent)
    expect(await statementsOfATick()).toBeLessThanOrEqual(askedAmongFew)
  })

  test('the match of a wait passes over all else that a program has told of its person', async () => {
    const { rows } = await db.pool.query<{ enrolmentId: string; prospectId: string }>(
      `SELECT enrolment_id AS "enrolmentId", prospect_id AS "prospectId" FROM journey_waits WHERE workspace_id = $1 AND outcome IS NULL LIMIT 1`,
      [campaign.workspaceId],
    )
    const { enrolmentId = '', prospectId = '' } = rows[0] ?? {}
    await inTransaction(db.pool, async (tx) => {
      // Long ago: nobody looks at them any more.
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(
        `INSERT INTO person_events (workspace_id, prospect_id, type, name, occurred_at, dedupe_key)
         SELECT $1, $2, 'CUSTOM', name, app_now() - make_interval(days => 30, secs => n), 'storm:' || name || n
         FROM generate_series(1, 3000) AS n, unnest('{visited,bought}'::text[]) AS name`,
        [campaign.workspaceId, prospectId],
      )
    })
    await happens(db.pool, campaign, prospectId)
    const read = await readBy(DECIDE_BY_EVENTS, [[enrolmentId]])
    expect(read.filter(({ table }) => table === 'person_events')).toMatchObject([{ rows: 1 }])
  })

  test('what is claimed is found by its id: the index of leases is as long as all that was done since a backup began', async () => {
    await db.pool.query(
      `UPDATE scheduled_actions SET due_at = app_now() WHERE id IN (
         SELECT id FROM scheduled_actions WHERE campaign_id = $1 AND status = 'PENDING' LIMIT $2)`,
      [crowd.campaignId, DUE],
    )
    const claimed = await claimActions(db.pool, 'w', 'people')
    expect(claimed.length).toBeGreaterThan(20)
    await inTransaction(db.pool, async (tx) => {
      const scans = async () => {
        const { rows } = await tx.query<{ scans: number }>(
          `SELECT pg_stat_get_xact_numscans('scheduled_actions_lease_idx'::regclass)::int AS scans`,
        )
        return rows[0]?.scans
      }
      const before = await scans()
      const mine = await lockOwnActions(tx, claimed)
      await settleActions(
        tx,
        mine.map((action) => ({ action, verdict: { kind: 'done' } })),
      )
      expect(mine).toHaveLength(claimed.length)
      expect(await scans()).toBe(before)
    })
  })
})
