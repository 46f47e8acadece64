import type pg from 'pg'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { SequenceGraph } from '#lib/sequences/graph/node-types.ts'

const PEOPLE_PER_INSERT = 20_000

/** Whether they bought within three days of the first email; who did not waits on. */
const GRAPH: SequenceGraph = {
  nodes: [
    { id: 'e1', type: 'email', stepNumber: 1 },
    {
      id: 'b',
      type: 'branch',
      if: { event: 'CUSTOM', name: 'bought' },
      withinDays: 3,
      yes: [{ id: 'x', type: 'end' }],
      no: [],
    },
    { id: 'w', type: 'wait', for: { kind: 'days', days: 30 } },
    { id: 'e2', type: 'email', stepNumber: 2 },
  ],
}

/** People at a node with a time-out that is due tomorrow, in a campaign that runs; makeDue brings some of them forward. */
export async function makePeopleWhoWait(pool: pg.Pool, people: number): Promise<void> {
  const [workspaceId, sequenceId, campaignId] = [newId(), newId(), newId()]
  await pool.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Bench')`, [workspaceId])
  await pool.query(
    `INSERT INTO sending_settings (workspace_id, updated_at, sending_days, window_start_minute, window_end_minute, daily_quota, postal_address)
     VALUES ($1, app_now(), '{1,2,3,4,5,6,7}', 0, 1440, 1000000, 'Bench Ltd, 1 Main Street, Springfield')`,
    [workspaceId],
  )
  await pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, rolling_limit, updated_at)
     VALUES ($1, $1, 'm@bench.test', 'SMTP', 1000000, 1000000, app_now())`,
    [workspaceId],
  )
  await pool.query(
    `INSERT INTO sequences (id, workspace_id, name, graph, updated_at) VALUES ($1, $2, 'Bench', $3, app_now())`,
    [sequenceId, workspaceId, GRAPH],
  )
  await pool.query('INSERT INTO sequence_graphs (sequence_id, version, graph) VALUES ($1, 1, $2)', [sequenceId, GRAPH])
  await pool.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, updated_at)
     SELECT gen_random_uuid(), $1, n, 0, app_now() FROM generate_series(1, 2) n`,
    [sequenceId],
  )
  await pool.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, updated_at) VALUES ($1, $2, $3, 'Bench', 'RUNNING', app_now())`,
    [campaignId, workspaceId, sequenceId],
  )
  for (let done = 0; done < people; done += PEOPLE_PER_INSERT)
    await insertPeople(pool, { workspaceId, sequenceId, campaignId }, Math.min(PEOPLE_PER_INSERT, people - done))
  await pool.query('VACUUM (ANALYZE)')
}

type Ids = { workspaceId: string; sequenceId: string; campaignId: string }

async function insertPeople(pool: pg.Pool, { workspaceId, sequenceId, campaignId }: Ids, count: number): Promise<void> {
  await pool.query(
    `WITH p AS (
       INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
       SELECT id, $1, id || '@example.test', sha256(id::text::bytea), app_now() FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $4)) n
       RETURNING id
     ), cp AS (
       INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps, mailbox_id)
       SELECT gen_random_uuid(), $1, $3, id, 'ACTIVE', app_now(), 1, $1 FROM p RETURNING id, prospect_id
     ), j AS (
       INSERT INTO journeys (enrolment_id, workspace_id, campaign_id, prospect_id, sequence_id, graph_version, state, node_id, last_step, anchor_email_id, anchored_at)
       SELECT id, $1, $3, prospect_id, $2, 1, 'BRANCH', 'b', 1, id, app_now() - interval '2 days' FROM cp RETURNING enrolment_id, prospect_id, anchored_at
     ), w AS (
       INSERT INTO journey_waits (workspace_id, enrolment_id, prospect_id, node_id, round, anchor_email_id, anchored_at, deadline, event_type, event_name, on_timeout)
       SELECT $1, enrolment_id, prospect_id, 'b', 1, enrolment_id, anchored_at, anchored_at + interval '3 days', 'CUSTOM', 'bought', 'w' FROM j)
     INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id)
     SELECT $1, 'TIMEOUT', 'timeout:' || enrolment_id || ':b:1', anchored_at + interval '3 days 10 seconds', $3, enrolment_id, prospect_id, 'b' FROM j`,
    [workspaceId, sequenceId, campaignId, count],
  )
}

/** Brings some of their time-outs forward to now; answers how many. Deadlines never change: the trigger that holds them is off for this once. */
export function makeDue(pool: pg.Pool, people: number): Promise<number> {
  return inTransaction(pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    const { rowCount } = await tx.query(
      `WITH first AS (
         SELECT id, enrolment_id FROM scheduled_actions WHERE status = 'PENDING' AND type = 'TIMEOUT' AND due_at > app_now() LIMIT $1
       ), waits AS (
         UPDATE journey_waits w SET deadline = app_now() - interval '1 minute' FROM first WHERE w.enrolment_id = first.enrolment_id)
       UPDATE scheduled_actions a SET due_at = app_now() FROM first WHERE a.id = first.id`,
      [people],
    )
    return rowCount ?? 0
  })
}
