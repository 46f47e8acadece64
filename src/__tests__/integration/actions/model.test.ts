import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { graphProblems } from '#lib/sequences/graph/graph-problems.ts'
import { allNodes, type GraphNode } from '#lib/sequences/graph/node-types.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Branching, happens, makeBranching, tick } from '#tests/support/data/branching.ts'
import { actor } from '#tests/support/data/people.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const WORKERS = 3
const PEOPLE = 4
const NAMES = ['bought', 'called'] as const

let pools: ReturnType<typeof createPool>[] = []
beforeAll(() => {
  pools = Array.from({ length: WORKERS }, () => createPool(db.url, 3))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))

/** What a graph is grown from: emails are numbered as they are read, so that along every way the numbers rise. */
type Seed =
  | { kind: 'email' | 'wait' | 'field' }
  | { kind: 'branch'; name: number; days: number; yes: Seed[]; no: Seed[] }

const seeds = (depth: number): fc.Arbitrary<Seed[]> => {
  const plain: fc.Arbitrary<Seed> = fc.record({
    kind: fc.constantFrom('email' as const, 'wait' as const, 'field' as const),
  })
  if (depth === 0) return fc.array(plain, { maxLength: 2 })
  const inside = seeds(depth - 1)
  const branch: fc.Arbitrary<Seed> = fc.record({
    kind: fc.constant('branch' as const),
    name: fc.nat(1),
    days: fc.integer({ min: 1, max: 3 }),
    yes: inside,
    no: inside,
  })
  return fc.array(fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: branch }), {
    minLength: 1,
    maxLength: 3,
  })
}

function grow(list: readonly Seed[]): { nodes: GraphNode[]; steps: number } {
  let steps = 1
  let ids = 0
  const nodesOf = (some: readonly Seed[]): GraphNode[] =>
    some.flatMap((seed): GraphNode[] => {
      ids += 1
      const id = `n${ids}`
      if (seed.kind === 'branch') {
        const [yes, no] = [nodesOf(seed.yes), nodesOf(seed.no)]
        // One with nothing on either side is refused; it is left out.
        if (yes.length + no.length === 0) return []
        const awaited = { event: 'CUSTOM' as const, name: NAMES[seed.name] ?? 'bought' }
        return [{ id, type: 'branch', if: awaited, withinDays: seed.days, yes, no }]
      }
      if (seed.kind === 'wait') return [{ id, type: 'wait', for: { kind: 'days', days: 1 } }]
      if (seed.kind === 'field') return [{ id, type: 'set-field', field: `custom.${id}`, value: ids }]
      steps += 1
      return [{ id, type: 'email', stepNumber: steps }]
    })
  return { nodes: [{ id: 'first', type: 'email', stepNumber: 1 }, ...nodesOf(list)], steps }
}

type Move =
  | { kind: 'event'; person: number; name: number; hoursAgo: number }
  | { kind: 'travel'; hours: number }
  | { kind: 'reply'; person: number }
  | { kind: 'pause' | 'resume' | 'work' | 'send' }

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ kind: fc.constant('event' as const), person: fc.nat(PEOPLE - 1), name: fc.nat(1) },
        hoursAgo: fc.nat(30),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('travel' as const), hours: fc.integer({ min: 1, max: 40 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reply' as const), person: fc.nat(PEOPLE - 1) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('work' as const, 'send' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const) }) },
  ),
  { minLength: 5, maxLength: 18 },
)

const work = () => Promise.all(pools.map((pool, number) => runTick(pool, `worker-${number}`, silent)))

async function play(campaign: Branching, move: Move): Promise<void> {
  const { workspaceId, campaignId } = campaign
  const verb = (act: typeof pauseCampaign) =>
    inTransaction(db.pool, (tx) => act(tx, workspaceId, campaignId, actor)).catch(() => undefined)
  const personOf = (person: number) => campaign.prospectIds[person] ?? ''
  switch (move.kind) {
    case 'event':
      // Beside the workers, which may be at this very person.
      await Promise.all([
        happens(db.pool, campaign, personOf(move.person), {
          name: NAMES[move.name] ?? '',
          ago: `${move.hoursAgo} hours`,
        }),
        work(),
      ])
      return
    case 'travel':
      return db.travel(`${move.hours} hours`)
    case 'reply':
      await Promise.all([
        inTransaction(db.pool, async (tx) => {
          await tx.query('UPDATE prospects SET replied_at = app_now() WHERE id = $1', [personOf(move.person)])
          await cancelWaiting(tx, workspaceId, { prospectId: personOf(move.person) }, 'PROSPECT_REPLIED')
        }),
        work(),
      ])
      return
    case 'send':
      await sendAll(db.pool, new TestProvider())
      return
    case 'work':
      await work()
      return
    case 'pause':
      await verb(pauseCampaign)
      return
    case 'resume':
      await verb(resumeCampaign)
  }
}

type Way = {
  prospectId: string
  state: string
  reason: string | null
  steps: number[]
  sent: number[]
  waits: { node: string; outcome: string }[]
  came: { node: string; what: string }[]
  fields: Record<string, number>
}

async function waysOf({ campaignId }: Branching): Promise<Way[]> {
  const { rows } = await db.pool.query<Way>(
    `SELECT j.prospect_id AS "prospectId", j.state, j.ended_reason AS reason,
       (SELECT coalesce(array_agg(step_number ORDER BY step_number), '{}') FROM scheduled_emails e WHERE e.campaign_prospect_id = j.enrolment_id) AS steps,
       (SELECT coalesce(array_agg(step_number ORDER BY step_number), '{}') FROM scheduled_emails e WHERE e.campaign_prospect_id = j.enrolment_id AND e.status = 'SENT') AS sent,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('node', node_id, 'outcome', outcome) ORDER BY created_at, id), '[]') FROM journey_waits w WHERE w.enrolment_id = j.enrolment_id) AS waits,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('node', node_id, 'what', what) ORDER BY id), '[]') FROM journey_steps s WHERE s.enrolment_id = j.enrolment_id) AS came,
       p.custom_fields AS fields
     FROM journeys j JOIN prospects p ON p.id = j.prospect_id WHERE j.campaign_id = $1`,
    [campaignId],
  )
  return rows
}

/**
 * The model: a person reads the list from the top, takes the side that each branch was decided for, and stops where they
 * left. It knows neither edges nor rows; everything that happened to them must be what it says, once.
 */
function model(
  nodes: readonly GraphNode[],
  decided: ReadonlyMap<string, string>,
  until: number,
): { steps: number[]; fields: string[] } {
  const read = { steps: [] as number[], fields: [] as string[] }
  let isOver = false
  const go = (list: readonly GraphNode[]): void => {
    for (const node of list) {
      if (isOver) return
      if (node.type === 'email') {
        if (read.steps.length === until) {
          isOver = true
          return
        }
        read.steps.push(node.stepNumber)
      } else if (node.type === 'set-field') read.fields.push(node.field.slice('custom.'.length))
      else if (node.type === 'branch') {
        const outcome = decided.get(node.id)
        if (outcome !== 'EVENT' && outcome !== 'TIMEOUT') {
          isOver = true
          return
        }
        go(outcome === 'EVENT' ? node.yes : node.no)
      }
    }
  }
  go(nodes)
  return read
}

test('random sequences, people, events, clocks, pauses and exits, with several workers: everybody goes one way, as the model says', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(seeds(2), moves, async (list, played) => {
      const { nodes, steps } = grow(list)
      fc.pre(
        steps <= 12 &&
          graphProblems(
            { nodes },
            Array.from({ length: steps }, (_, n) => n + 1),
          ).length === 0,
      )
      const campaign = await makeBranching(db.pool, nodes, { people: PEOPLE, steps })
      for (const move of played) {
        await play(campaign, move)
        const { rows } = await db.pool.query<{ open: number }>(
          `SELECT count(*)::int AS open FROM journey_waits w JOIN journeys j ON j.enrolment_id = w.enrolment_id
           WHERE j.campaign_id = $1 AND w.outcome IS NULL GROUP BY w.enrolment_id HAVING count(*) > 1`,
          [campaign.campaignId],
        )
        expect(rows, 'nobody in two places').toEqual([])
      }
      await play(campaign, { kind: 'resume' })
      // To the end: nobody is lost, whatever came before.
      for (let rounds = 0; rounds < 40; rounds += 1) {
        await sendAll(db.pool, new TestProvider())
        await work()
        await tick(db.pool)
        const { rows } = await db.pool.query(
          `SELECT FROM journeys WHERE campaign_id = $1 AND state <> 'ENDED' LIMIT 1`,
          [campaign.campaignId],
        )
        if (rows.length === 0) break
        await db.travel('26 hours')
      }
      for (const { state, reason, steps: got, sent, waits, came, fields } of await waysOf(campaign)) {
        expect(state).toBe('ENDED')
        const isThrough = reason === 'WALKED_THROUGH'
        if (!isThrough) expect(reason).toBe('PROSPECT_REPLIED')
        const decided = new Map(waits.map(({ node, outcome }) => [node, outcome]))
        const said = model(nodes, decided, got.length)
        expect(got).toEqual(said.steps)
        if (isThrough) {
          expect(sent).toEqual(model(nodes, decided, Number.POSITIVE_INFINITY).steps)
          expect(Object.keys(fields).sort()).toEqual([...said.fields].sort())
        }
        // Each node once: no branch decided twice, no field set twice, no wait waited twice.
        const places = came.filter(({ what }) => what !== 'left' && what !== 'ended').map(({ node }) => node)
        expect(new Set(places).size).toBe(places.length)
        const asked = [...allNodes(nodes)].filter(({ type }) => type === 'branch').map(({ id }) => id)
        expect(waits.every(({ node }) => asked.includes(node))).toBe(true)
      }
      const { rows: left } = await db.pool.query(
        `SELECT type, status FROM scheduled_actions WHERE campaign_id = $1 AND status NOT IN ('COMPLETED', 'CANCELLED')`,
        [campaign.campaignId],
      )
      expect(left).toEqual([])
      expect(await examine(db.pool)).toEqual([])
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 8), endOnFailure: true },
  )
})
