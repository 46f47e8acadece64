import type { CompiledGraph, Target } from './compile-graph.ts'
import type { BranchNode, ListNode, MoveNode, NotifyNode, SetFieldNode, WaitNode } from './node-types.ts'

/** What is done on the way, at once. */
export type Passed = SetFieldNode | ListNode | NotifyNode

/** Where a person comes to rest. */
export type Rest =
  | { kind: 'email'; nodeId: string }
  | { kind: 'wait'; node: WaitNode }
  | { kind: 'branch'; node: BranchNode; onEvent: Target; onTimeout: Target }
  | { kind: 'moved'; node: MoveNode }
  | { kind: 'end' }
  /** Who has left is taken through what is done at once, and no further. */
  | { kind: 'left' }
  | { kind: 'lost'; nodeId: string }

/** From an edge to the next place where something is to be waited for. The graph leads nowhere back, so this ends. */
export function walk(graph: CompiledGraph, from: Target, hasLeft: boolean): { passed: Passed[]; rest: Rest } {
  const passed: Passed[] = []
  for (let at = from; ; ) {
    if (at === null) return { passed, rest: { kind: 'end' } }
    const found = graph.nodes.get(at)
    if (!found) return { passed, rest: { kind: 'lost', nodeId: at } }
    const { node } = found
    if (node.type === 'end') return { passed, rest: { kind: 'end' } }
    if (node.type === 'email' || node.type === 'wait' || node.type === 'branch' || node.type === 'move') {
      if (hasLeft) return { passed, rest: { kind: 'left' } }
      return { passed, rest: restAt(graph, at) }
    }
    passed.push(node)
    at = 'next' in found ? found.next : null
  }
}

function restAt(graph: CompiledGraph, nodeId: string): Rest {
  const found = graph.nodes.get(nodeId)
  if (!found) return { kind: 'lost', nodeId }
  const { node } = found
  if (node.type === 'wait') return { kind: 'wait', node }
  if (node.type === 'move') return { kind: 'moved', node }
  if (node.type === 'branch' && 'onEvent' in found)
    return { kind: 'branch', node, onEvent: found.onEvent, onTimeout: found.onTimeout }
  return { kind: 'email', nodeId }
}
