import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { forecastPath } from '#lib/email-scheduler/read/forecast-path.ts'
import { compileGraph, emailsFrom, targetsOf } from '#lib/sequences/graph/compile-graph.ts'
import { graphProblems } from '#lib/sequences/graph/graph-problems.ts'
import { graphSchema } from '#lib/sequences/graph/graph-schema.ts'
import { allNodes, type SequenceGraph } from '#lib/sequences/graph/node-types.ts'
import { fittingGraphs, graphs } from '#tests/support/fuzz/graphs.ts'
import { OFFICE_HOURS } from '#tests/unit/guardrails/settings-oracle.ts'

/** Whatever a draft holds is compiled, judged and shown, since that is asked for as it is drawn; what is launched makes sense besides. */
const calendar = calendarOf(OFFICE_HOURS)

/** As it comes to the server, with ids in the places of its tokens; undefined where the schema refuses it. */
function taken(graph: unknown): SequenceGraph | undefined {
  const text = JSON.stringify(graph).replace(
    /id\.[a-z]+\.\d+\.(?:own|other)\./g,
    '0199b1f0-0000-7000-8000-000000000000',
  )
  const parsed = graphSchema.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : undefined
}

function forecast(graph: SequenceGraph) {
  const compiled = compileGraph(graph)
  const from = { target: compiled.first, at: new Date('2026-11-20T09:00:00Z'), anchoredAt: null }
  return forecastPath(
    { graph: compiled, calendar, delays: new Map([[2, 365]]), happens: new Set(), names: new Map() },
    from,
  )
}

test('no edge leads back, whatever the ids are, and every way comes to its end with a time for each place', () => {
  let found = 0
  fc.assert(
    fc.property(graphs, (given) => {
      const graph = taken(given)
      if (!graph) return
      found += 1
      const nodes = [...allNodes(graph.nodes)]
      const compiled = compileGraph(graph)
      const entered = new Set<string | null>([null])
      for (const [id, one] of compiled.nodes) {
        for (const target of targetsOf(one)) expect(entered).toContain(target)
        entered.add(id)
      }
      for (const id of compiled.nodes.keys())
        expect(emailsFrom(compiled, id).stepNumbers.length).toBeLessThanOrEqual(nodes.length)
      const items = forecast(graph)
      expect(items.length).toBeLessThanOrEqual(nodes.length)
      for (const { at } of items) expect(Number.isNaN(at?.getTime())).toBe(false)
      graphProblems(graph, [1, 2, 3])
    }),
    { numRuns: 400 },
  )
  expect(found).toBeGreaterThan(100)
})

test('an email under the id of one before it is no way back to it', () => {
  const nodes = ['a', 'b', 'a'].map((id, index) => ({ id, type: 'email' as const, stepNumber: index + 1 }))
  expect(forecast({ nodes }).map(({ stepNumber }) => stepNumber)).toEqual([2, 3])
  expect(graphProblems({ nodes }, [1, 2, 3]).map(({ sentence }) => sentence)).toContainEqual(
    expect.stringContaining('Two nodes have the id a'),
  )
})

test('a moment beyond what can be reckoned with is refused', () => {
  const until = (at: string) => taken({ nodes: [{ id: 'w', type: 'wait', for: { kind: 'until', at } }] })
  for (const at of ['9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+23:59', '2101-01-01T00:00:00Z'])
    expect(until(at)).toBeUndefined()
  expect(until('2100-12-31T23:59:59Z')).toBeDefined()
})

test('what is invented to make sense does', () => {
  fc.assert(
    fc.property(fittingGraphs, (given) => {
      const graph = taken(given)
      const numbers = [...allNodes(graph?.nodes ?? [])].flatMap((node) =>
        node.type === 'email' ? [node.stepNumber] : [],
      )
      const told = graph && graphProblems(graph, numbers).map(({ sentence }) => sentence)
      // Chance may draw a branch that decides nothing, what nobody comes to, or what may not follow an exit.
      expect(told?.filter((one) => !/decides nothing|Nobody comes|gets no more email/.test(one))).toEqual([])
    }),
  )
})
