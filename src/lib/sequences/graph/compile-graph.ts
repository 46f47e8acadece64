import { AWAITED_EVENTS, type BranchNode, type GraphNode, type SequenceGraph } from './node-types.ts'

/** Where an edge leads: a node, or out of the sequence. */
export type Target = string | null

/** A node with its edges: of a branch both, and of every other the one. */
export type Compiled =
  | { node: Exclude<GraphNode, BranchNode>; next: Target }
  | { node: BranchNode; onEvent: Target; onTimeout: Target }

export type CompiledGraph = { first: Target; nodes: ReadonlyMap<string, Compiled> }

const ENDS: readonly GraphNode['type'][] = ['end', 'move']

/**
 * The list with its edges drawn: the end of a side leads to what follows its branch, and the end of the list leads out.
 * After an exit (a reply) nothing follows: its side leads out. Every node has its edges, and none leads back: each leads to
 * what was entered before it. A draft may have an id twice, and is shown all the same; of those the last one stands.
 */
export function compileGraph({ nodes }: SequenceGraph): CompiledGraph {
  const compiled = new Map<string, Compiled>()
  const enter = (list: readonly GraphNode[], after: Target): Target => {
    let next = after
    for (const node of list.toReversed()) {
      if (node.type === 'branch') {
        const onEvent = enter(node.yes, AWAITED_EVENTS[node.if.event].isExit ? null : next)
        const onTimeout = enter(node.no, next)
        if (compiled.has(node.id)) continue
        compiled.set(node.id, { node, onEvent, onTimeout })
      } else {
        if (compiled.has(node.id)) continue
        compiled.set(node.id, { node, next: ENDS.includes(node.type) ? null : next })
      }
      next = node.id
    }
    return next
  }
  return { first: enter(nodes, null), nodes: compiled }
}

/** The edges that lead from a node. */
export function targetsOf(one: Compiled): Target[] {
  return 'next' in one ? [one.next] : [one.onEvent, one.onTimeout]
}

export type EmailRun = {
  /** The steps, in their order. */
  stepNumbers: number[]
  /** The last of them, and where it goes on from there once that is sent. */
  lastNodeId: string
}

/** The emails that follow one another from this node on: what is certain, and planned together. */
export function emailsFrom({ nodes }: CompiledGraph, nodeId: string): EmailRun {
  const run: EmailRun = { stepNumbers: [], lastNodeId: nodeId }
  for (let at: Target = nodeId; at !== null; ) {
    const found = nodes.get(at)
    if (found?.node.type !== 'email' || !('next' in found)) break
    run.stepNumbers.push(found.node.stepNumber)
    run.lastNodeId = at
    at = found.next
  }
  return run
}
