import type pg from 'pg'
import { appendEvents } from '#lib/events/append-events.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import type { AwaitedEvent, GraphNode } from '#lib/sequences/graph/node-types.ts'
import { runTick } from '#lib/worker/tick.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { silent } from '#tests/support/silent.ts'
import { type Draft, launch, makeDraft, textOf } from './drafts.ts'
import { makeWorkspace } from './workspaces.ts'

/** Open day and night, and nothing holds an email up: what is tested is the way, not the window. */
const ALWAYS = {
  postal_address: '1 High Street',
  sending_days: [1, 2, 3, 4, 5, 6, 7],
  window_start_minute: 0,
  window_end_minute: 1440,
  daily_quota: 100_000,
  ramp_up_enabled: false,
  jitter_min_seconds: 0,
  jitter_max_seconds: 0,
}

export const email = (stepNumber: number): GraphNode => ({ id: `e${stepNumber}`, type: 'email', stepNumber })
export const wait = (id: string, days: number): GraphNode => ({ id, type: 'wait', for: { kind: 'days', days } })

export function branch(
  id: string,
  event: AwaitedEvent,
  withinDays: number,
  yes: GraphNode[],
  no: GraphNode[],
  name?: string,
): GraphNode {
  return { id, type: 'branch', if: name === undefined ? { event } : { event, name }, withinDays, yes, no }
}

/** The first email; whether "bought" is told within three days; one email for each answer; and one for both. */
export const FORK = [email(1), branch('b', 'CUSTOM', 3, [email(2)], [email(3)], 'bought'), email(4)]

export type Branching = Draft

type Wanted = { workspaceId?: string; people?: number; steps?: number; batchSize?: number }

export async function makeOpenWorkspace(pool: pg.Pool): Promise<string> {
  const limits = { dailyLimit: 100_000, rollingLimit: 100_000 }
  return (await makeWorkspace(pool, { settings: ALWAYS, limits })).workspaceId
}

export async function makeBranchingDraft(pool: pg.Pool, nodes: GraphNode[], wanted: Wanted = {}): Promise<Branching> {
  const workspaceId =
    wanted.workspaceId ??
    (await makeWorkspace(pool, { settings: ALWAYS, limits: { dailyLimit: 100_000, rollingLimit: 100_000 } }))
      .workspaceId
  const steps = Array.from({ length: wanted.steps ?? 4 }, () => textOf(0))
  const { id: sequenceId } = await inTransaction(pool, (tx) =>
    createSequence(tx, workspaceId, { name: 'Branches', steps, graph: { nodes } }),
  )
  return makeDraft(pool, wanted.people ?? 1, [], { workspaceId, sequenceId, batchSize: wanted.batchSize ?? 500 })
}

/** Launched and planned. */
export async function makeBranching(pool: pg.Pool, nodes: GraphNode[], wanted: Wanted = {}): Promise<Branching> {
  const draft = await makeBranchingDraft(pool, nodes, wanted)
  await launch(pool, draft)
  await tick(pool)
  return draft
}

export const tick = (pool: pg.Pool, tellMember?: Parameters<typeof runTick>[3]) =>
  runTick(pool, 'test', silent, tellMember)

/** Everything that is due goes out, and those whom it moves on go on. */
export async function sendAndMove(pool: pg.Pool, provider = new TestProvider()): Promise<void> {
  await sendAll(pool, provider)
  await tick(pool)
}

export async function enrolmentsOf(pool: pg.Pool, { campaignId }: Branching): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM campaign_prospects WHERE campaign_id = $1 ORDER BY id',
    [campaignId],
  )
  return rows.map(({ id }) => id)
}

/** A program tells of it; `ago` is an interval. */
export async function happens(
  pool: pg.Pool,
  { workspaceId }: Branching,
  prospectId: string,
  {
    name = 'bought',
    ago = '0',
    at,
    key = newId(),
  }: { name?: string; ago?: string; at?: Date | undefined; key?: string } = {},
): Promise<void> {
  const { rows } = await pool.query<{ at: Date }>('SELECT app_now() - $1::interval AS at', [ago])
  await inTransaction(pool, (tx) =>
    appendEvents(tx, [
      { type: 'CUSTOM', name, workspaceId, prospectId, occurredAt: at ?? rows[0]?.at, dedupeKey: `custom:${key}` },
    ]),
  )
}

/** Which steps a person has an email for, with its state: "1 SENT, 2 SCHEDULED". */
export async function stepsOf(pool: pg.Pool, { campaignId }: Branching, prospectId: string): Promise<string> {
  const { rows } = await pool.query<{ told: string }>(
    `SELECT string_agg(step_number || ' ' || status, ', ' ORDER BY step_number) AS told FROM scheduled_emails
     WHERE campaign_id = $1 AND prospect_id = $2`,
    [campaignId, prospectId],
  )
  return rows[0]?.told ?? ''
}

/** Where a person stands: "BRANCH b", "ENDED PROSPECT_REPLIED". */
export async function standsAt(pool: pg.Pool, { campaignId }: Branching, prospectId: string): Promise<string> {
  const { rows } = await pool.query<{ told: string }>(
    `SELECT state || ' ' || coalesce(ended_reason, node_id) AS told FROM journeys WHERE campaign_id = $1 AND prospect_id = $2`,
    [campaignId, prospectId],
  )
  return rows[0]?.told ?? ''
}

/** Their actions, by type and state: "TIMEOUT PENDING". */
export async function actionsOf(pool: pg.Pool, { campaignId }: Branching, ...types: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ told: string }>(
    `SELECT type || ' ' || status || coalesce(' ' || reason, '') AS told FROM scheduled_actions
     WHERE campaign_id = $1 AND (cardinality($2::text[]) = 0 OR type::text = ANY($2)) ORDER BY created_at, type`,
    [campaignId, types],
  )
  return rows.map(({ told }) => told)
}
