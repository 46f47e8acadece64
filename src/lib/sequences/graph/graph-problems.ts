import { type CompiledGraph, compileGraph, targetsOf } from './compile-graph.ts'
import { AWAITED_EVENTS, allNodes, GRAPH_NODES_MAX, type GraphNode, type SequenceGraph } from './node-types.ts'

export type GraphProblem = { nodeId: string | null; sentence: string }

const PROBLEMS_MAX = 50

/** What an exit leaves to be done: nothing that sends, waits or asks on. */
const AFTER_AN_EXIT: readonly GraphNode['type'][] = ['set-field', 'add-to-list', 'remove-from-list', 'notify', 'end']

/**
 * What keeps a graph from being launched, in words. Each step stands in it once and their numbers rise along every way
 * through it: so no way gives a person a step twice, and the step before another is always the one with the lower number.
 */
export function graphProblems({ nodes }: SequenceGraph, stepNumbers: readonly number[]): GraphProblem[] {
  const problems: GraphProblem[] = []
  const refuse = (nodeId: string | null, sentence: string) => problems.push({ nodeId, sentence })
  const all = [...allNodes(nodes)]
  if (all.length > GRAPH_NODES_MAX)
    refuse(null, `A sequence has at most ${GRAPH_NODES_MAX} nodes; these are ${all.length}.`)
  const ids = new Set<string>()
  for (const { id } of all) {
    if (ids.has(id)) refuse(id, `Two nodes have the id ${id}; each needs one of its own.`)
    ids.add(id)
  }
  if (nodes[0]?.type !== 'email')
    refuse(nodes[0]?.id ?? null, 'A sequence begins with an email: all that follows counts from it.')
  refuseSteps(all, stepNumbers, refuse)
  refuseUnreachable(nodes, refuse)
  for (const node of all) {
    if (node.type !== 'branch') continue
    if (node.yes.length + node.no.length === 0)
      refuse(
        node.id,
        'Both sides of this branch are empty, so it decides nothing; write something on one side, or take it out.',
      )
    if (!AWAITED_EVENTS[node.if.event].isExit) continue
    for (const inside of node.yes)
      if (!AFTER_AN_EXIT.includes(inside.type))
        refuse(
          inside.id,
          `Who ${AWAITED_EVENTS[node.if.event].words} gets no more email: this side can set a field, change lists, notify a teammate and end.`,
        )
  }
  if (problems.length === 0) refuseFallingNumbers(compileGraph({ nodes }), refuse)
  return problems.slice(0, PROBLEMS_MAX)
}

type Refuse = (nodeId: string | null, sentence: string) => void

function refuseSteps(all: readonly GraphNode[], stepNumbers: readonly number[], refuse: Refuse): void {
  const placed = new Set<number>()
  for (const node of all) {
    if (node.type !== 'email') continue
    const { stepNumber, id } = node
    if (!stepNumbers.includes(stepNumber)) refuse(id, `There is no step ${stepNumber}; write it, or choose another.`)
    if (placed.has(stepNumber)) refuse(id, `Step ${stepNumber} stands here a second time; nobody gets a step twice.`)
    placed.add(stepNumber)
  }
  for (const stepNumber of stepNumbers)
    if (!placed.has(stepNumber))
      refuse(null, `Step ${stepNumber} stands nowhere in the sequence; place it, or take it out.`)
}

/** Answers whether a list ends for everybody, whichever way they go. */
function refuseUnreachable(list: readonly GraphNode[], refuse: Refuse): boolean {
  let hasEnded = false
  let isTold = false
  for (const node of list) {
    if (hasEnded && !isTold)
      refuse(node.id, 'Nobody comes to this: what stands before it ends the sequence for everybody.')
    isTold = hasEnded
    if (node.type === 'end' || node.type === 'move') hasEnded = true
    if (node.type !== 'branch') continue
    const yesEnds = refuseUnreachable(node.yes, refuse) || AWAITED_EVENTS[node.if.event].isExit
    const noEnds = refuseUnreachable(node.no, refuse)
    if (yesEnds && noEnds) hasEnded = true
  }
  return hasEnded
}

/** From the end backwards: the lowest number that can still come must be higher than the one that stands there. */
function refuseFallingNumbers(graph: CompiledGraph, refuse: Refuse): void {
  const lowestFrom = new Map<string, number>()
  // Compiled from the end: whatever an edge leads to was entered before it.
  for (const [id, compiled] of graph.nodes) {
    const after = Math.min(
      ...targetsOf(compiled).map((to) => (to === null ? Number.POSITIVE_INFINITY : lowest(lowestFrom, to))),
    )
    if (compiled.node.type !== 'email') {
      lowestFrom.set(id, after)
      continue
    }
    const { stepNumber } = compiled.node
    if (after <= stepNumber)
      refuse(
        id,
        `Step ${stepNumber} stands before step ${after}: along every way the numbers rise. New emails go behind all that are there.`,
      )
    lowestFrom.set(id, Math.min(stepNumber, after))
  }
}

const lowest = (known: ReadonlyMap<string, number>, id: string) => known.get(id) ?? Number.POSITIVE_INFINITY
