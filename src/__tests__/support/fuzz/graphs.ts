import * as fc from 'fast-check'
import { GRAPH_DEPTH_MAX, GRAPH_NODES_MAX, GRAPH_WAIT_DAYS_MAX } from '#lib/sequences/graph/node-types.ts'
import { hostileValue } from './hostile.ts'

type Node = Record<string, unknown>

const EVENTS = ['OPENED', 'CLICKED', 'CUSTOM', 'REPLIED', 'BOUNCED', 'UNSUBSCRIBED'] as const
const STEPS = 5

/** A graph that makes sense: numbers of chance decide what stands where, and steps rise along every way. */
export const fittingGraphs = fc
  .tuple(fc.array(fc.nat(), { minLength: 4, maxLength: 60 }), fc.constantFrom<'own' | 'other'>('own', 'own', 'other'))
  .map(([chances, whose]) => ({ nodes: new Builder(chances, whose).list(0) }))

class Builder {
  readonly #chances: readonly number[]
  readonly #whose: string
  #at = 0
  #steps = 0

  constructor(chances: readonly number[], whose: string) {
    this.#chances = chances
    this.#whose = whose
  }

  list(depth: number): Node[] {
    const nodes: Node[] = depth === 0 ? [this.#email()] : []
    const length = this.#next(depth === 0 ? 6 : 3)
    for (let n = 0; n < length && this.#at < this.#chances.length; n += 1) nodes.push(this.#node(depth))
    return nodes
  }

  #next(below: number): number {
    const chance = this.#chances[this.#at] ?? 0
    this.#at += 1
    return chance % below
  }

  #email(): Node {
    this.#steps += 1
    return { id: `e${this.#steps}`, type: 'email', stepNumber: this.#steps }
  }

  #node(depth: number): Node {
    const id = `n${this.#at}`
    const of = (kind: string) => `id.${kind}.${this.#next(3)}.${this.#whose}.`
    switch (this.#next(9)) {
      case 0:
        return { id, type: 'wait', for: this.#waitFor() }
      case 1:
        return { id, type: 'set-field', field: this.#next(2) === 0 ? 'company' : 'custom.tier', value: 'gold' }
      case 2:
        return { id, type: this.#next(2) === 0 ? 'add-to-list' : 'remove-from-list', listId: of('lists') }
      case 3:
        return { id, type: 'notify', personId: of('people'), note: 'Call them' }
      case 4:
        return depth === 0 ? this.#email() : { id, type: 'move', campaignId: of('campaigns') }
      case 5:
      case 6:
        return depth < GRAPH_DEPTH_MAX ? this.#branch(id, depth) : { id, type: 'end' }
      default:
        return this.#steps < STEPS ? this.#email() : { id, type: 'wait', for: { kind: 'days', days: 1 } }
    }
  }

  #branch(id: string, depth: number): Node {
    const event = EVENTS[this.#next(EVENTS.length)]
    const awaited = event === 'CUSTOM' ? { event, name: 'bought' } : { event }
    const withinDays = 1 + this.#next(GRAPH_WAIT_DAYS_MAX)
    return { id, type: 'branch', if: awaited, withinDays, yes: this.list(depth + 1), no: this.list(depth + 1) }
  }

  #waitFor(): Node {
    const kind = this.#next(3)
    if (kind === 0) return { kind: 'days', days: 1 + this.#next(GRAPH_WAIT_DAYS_MAX) }
    return kind === 1 ? { kind: 'time-of-day', time: '09:30' } : { kind: 'until', at: '2027-03-28T01:30:00Z' }
  }
}

const first: Node = { id: 'e1', type: 'email', stepNumber: 1 }
const bought = { event: 'CUSTOM', name: 'bought' }

function nested(depth: number): Node {
  const inside = depth === 0 ? [{ id: 'x', type: 'end' }] : [nested(depth - 1)]
  return { id: `b${depth}`, type: 'branch', if: bought, withinDays: 1, yes: inside, no: [] }
}

const manyOf = (count: number, node: (n: number) => Node): { nodes: Node[] } => ({
  nodes: [first, ...Array.from({ length: count }, (_, n) => node(n))],
})
const waiting = (wait: unknown, id = 'w'): { nodes: Node[] } => ({ nodes: [first, { id, type: 'wait', for: wait }] })
const branching = (more: Node): { nodes: Node[] } => ({
  nodes: [first, { id: 'b', type: 'branch', if: bought, withinDays: 3, yes: [], no: [], ...more }],
})
/** At each level as much on either side as a graph may have in all: twice, four, eight times that. */
function wide(depth: number, count: number): Node[] {
  if (depth === 0) return Array.from({ length: count }, (_, n) => ({ id: `w${n}`, type: 'end' }))
  const side = () => wide(depth - 1, count)
  return [{ id: `s${depth}`, type: 'branch', if: bought, withinDays: 1, yes: side(), no: side() }]
}

const HOSTILE: readonly unknown[] = [
  { nodes: [] },
  { nodes: [first, nested(GRAPH_DEPTH_MAX - 1)] },
  { nodes: [first, nested(GRAPH_DEPTH_MAX)] },
  { nodes: [first, nested(14)] },
  { nodes: [first, nested(25)] },
  { nodes: [first, ...wide(GRAPH_DEPTH_MAX, GRAPH_NODES_MAX)] },
  { nodes: [first, ...wide(GRAPH_DEPTH_MAX + 2, 10)] },
  // Each is followed by the same list for both sides: a reader of ways, and not of places, would never come to its end.
  manyOf(GRAPH_NODES_MAX - 1, (n) => ({ ...nested(0), id: `b${n}` })),
  manyOf(GRAPH_NODES_MAX, (n) => ({ ...nested(0), id: `b${n}` })),
  manyOf(33, (n) => ({
    id: `b${n}`,
    type: 'branch',
    if: bought,
    withinDays: 1,
    no: [],
    yes: [{ id: `y${n}`, type: 'notify', personId: 'id.people.0.own.', note: '' }],
  })),
  manyOf(GRAPH_NODES_MAX - 1, (n) => ({ id: `w${n}`, type: 'wait', for: { kind: 'days', days: GRAPH_WAIT_DAYS_MAX } })),
  manyOf(GRAPH_NODES_MAX - 1, (n) => ({ id: `w${n}`, type: 'wait', for: { kind: 'time-of-day', time: '02:30' } })),
  manyOf(5_000, (n) => ({ id: `w${n}`, type: 'end' })),
  manyOf(999, (n) => ({ id: `e${n + 2}`, type: 'email', stepNumber: n + 2 })),
  // Ids that would lead back, were they edges.
  { nodes: [first, { ...first, id: 'e2' }, { ...first, stepNumber: 2 }] },
  {
    nodes: [
      { ...first, next: 'e1' },
      { id: 'b', type: 'branch', if: bought, withinDays: 1, yes: [{ id: 'b', type: 'end' }], no: [], onEvent: 'b' },
    ],
  },
  {
    nodes: [
      { ...first, id: '__proto__' },
      { id: 'constructor', type: 'wait', for: { kind: 'days', days: 1 } },
    ],
  },
  { nodes: [3, 2, 1].map((stepNumber) => ({ id: `e${stepNumber}`, type: 'email', stepNumber })) },
  { nodes: [{ ...first, stepNumber: 0 }] },
  { nodes: [{ ...first, stepNumber: 2_147_483_648 }] },
  { nodes: [{ ...first, type: 'teleport' }] },
  branching({ yes: undefined }),
  branching({ no: null }),
  branching({ yes: [null] }),
  branching({ if: { event: 'CUSTOM' } }),
  branching({ if: { event: 'CLICKED', name: 'bought' } }),
  branching({ if: { event: 'SENT' } }),
  branching({ withinDays: 36_500_000 }),
  branching({ withinDays: 0 }),
  waiting({ kind: 'days', days: 1e9 }),
  waiting({ kind: 'days', days: -1 }),
  waiting({ kind: 'until', at: '9999-12-31T23:59:59-23:59' }),
  waiting({ kind: 'until', at: '0001-01-01T00:00:00+23:59' }),
  waiting({ kind: 'time-of-day', time: '24:00' }),
  waiting({ kind: 'for-ever' }),
  waiting(undefined),
  waiting({ kind: 'days', days: 1 }, 'x'.repeat(41)),
  waiting({ kind: 'days', days: 1 }, 'a b'),
  { nodes: [first, { id: 'f', type: 'set-field', field: 'custom.', value: 'x' }] },
  { nodes: [first, { id: 'f', type: 'set-field', field: 'company', value: 'x'.repeat(100_000) }] },
  { nodes: [first, { id: 'f', type: 'set-field', field: 'custom.constructor', value: null }] },
  { nodes: [first, { id: 'l', type: 'add-to-list', listId: '00000000-0000-0000-0000-000000000000' }] },
  { nodes: [first, { id: 'm', type: 'move', campaignId: 'id.campaigns.0.other.' }] },
]

/** The order of a sequence that branches, as people draw it, and as nobody should. */
export const graphs: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: fittingGraphs },
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  {
    weight: 1,
    arbitrary: fc.tuple(fittingGraphs, fc.nat(), hostileValue).map(([{ nodes }, at, hostile]) => ({
      nodes: nodes.map((node, index) => (index === at % nodes.length ? hostile : node)),
    })),
  },
  { weight: 2, arbitrary: fc.constant(null) },
)
