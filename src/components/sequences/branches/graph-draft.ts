import {
  allNodes,
  type BranchNode,
  type EmailNode,
  type GraphNode,
  type SequenceGraph,
} from '#lib/sequences/graph/node-types.ts'

/** While it is written, an email is known by its step's key: numbers follow from the order. */
export type DraftEmail = Omit<EmailNode, 'stepNumber'> & { key: string }
export type DraftBranch = Omit<BranchNode, 'yes' | 'no'> & { yes: DraftNode[]; no: DraftNode[] }
export type DraftDeed = Exclude<GraphNode, EmailNode | BranchNode>
export type DraftNode = DraftEmail | DraftBranch | DraftDeed

export const emailNode = (key: string): DraftEmail => ({ id: key, type: 'email', key })

/** As it was saved, with the keys of the steps in the place of their numbers. A step that is not there is left out. */
export function nodesOfGraph({ nodes }: SequenceGraph, keyOf: (stepNumber: number) => string | undefined): DraftNode[] {
  return nodes.flatMap((node): DraftNode[] => {
    if (node.type === 'branch')
      return [{ ...node, yes: nodesOfGraph({ nodes: node.yes }, keyOf), no: nodesOfGraph({ nodes: node.no }, keyOf) }]
    if (node.type !== 'email') return [node]
    const key = keyOf(node.stepNumber)
    return key === undefined ? [] : [{ id: node.id, type: 'email', key }]
  })
}

/** As the API takes it. */
export function graphOfNodes(nodes: readonly DraftNode[], numberOf: (key: string) => number): SequenceGraph {
  const written = (list: readonly DraftNode[]): GraphNode[] =>
    list.map((node): GraphNode => {
      if (node.type === 'branch') return { ...node, yes: written(node.yes), no: written(node.no) }
      return node.type === 'email' ? { id: node.id, type: 'email', stepNumber: numberOf(node.key) } : node
    })
  return { nodes: written(nodes) }
}

/** In the order in which they are read: along every way through it, this order only rises. */
export function keysIn(nodes: readonly DraftNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === 'branch') return [...keysIn(node.yes), ...keysIn(node.no)]
    return node.type === 'email' ? [node.key] : []
  })
}

export const isLinear = (nodes: readonly DraftNode[]) => nodes.every(({ type }) => type === 'email')

/**
 * Every place where a node can stand, counted as they are read: before the first, between any two, at the end of each side.
 * Of a node the one right before it.
 */
export function placeOf(nodes: readonly DraftNode[], id: string): number | undefined {
  let place = 0
  const look = (list: readonly DraftNode[]): number | undefined => {
    for (const node of list) {
      if (node.id === id) return place
      place += 1
      if (node.type !== 'branch') continue
      for (const side of [node.yes, node.no]) {
        const found = look(side)
        if (found !== undefined) return found
        place += 1
      }
    }
    return undefined
  }
  return look(nodes)
}

export function placesIn(nodes: readonly DraftNode[]): number {
  return nodes.reduce((sum, node) => sum + 1 + (node.type === 'branch' ? placesIn(node.yes) + placesIn(node.no) : 0), 1)
}

export function insertAt(nodes: readonly DraftNode[], wanted: number, node: DraftNode): DraftNode[] {
  let place = 0
  const insert = (list: readonly DraftNode[]): DraftNode[] => {
    const written: DraftNode[] = []
    for (const one of list) {
      if (place === wanted) written.push(node)
      place += 1
      if (one.type === 'branch') {
        const yes = insert(one.yes)
        place += 1
        const no = insert(one.no)
        place += 1
        written.push({ ...one, yes, no })
      } else written.push(one)
    }
    if (place === wanted) written.push(node)
    return written
  }
  return insert(nodes)
}

export function withoutNode(nodes: readonly DraftNode[], id: string): DraftNode[] {
  return nodes
    .filter((node) => node.id !== id)
    .map((node) =>
      node.type === 'branch' ? { ...node, yes: withoutNode(node.yes, id), no: withoutNode(node.no, id) } : node,
    )
}

export function changedNode(nodes: readonly DraftNode[], next: DraftNode): DraftNode[] {
  return nodes.map((node) => {
    if (node.id === next.id) return next
    return node.type === 'branch' ? { ...node, yes: changedNode(node.yes, next), no: changedNode(node.no, next) } : node
  })
}

export function findNode(nodes: readonly DraftNode[], id: string): DraftNode | undefined {
  for (const node of nodes) {
    if (node.id === id) return node
    const inside = node.type === 'branch' ? (findNode(node.yes, id) ?? findNode(node.no, id)) : undefined
    if (inside) return inside
  }
  return undefined
}

/** One place up or down, into the sides of a branch and out of them again. */
export function movedNode(nodes: readonly DraftNode[], id: string, by: 1 | -1): DraftNode[] {
  const [node, place] = [findNode(nodes, id), placeOf(nodes, id)]
  if (!node || place === undefined) return [...nodes]
  const rest = withoutNode(nodes, id)
  const wanted = place + by
  return wanted < 0 || wanted >= placesIn(rest) ? [...nodes] : insertAt(rest, wanted, node)
}

/** Which way it may go at all. */
export function waysOf(nodes: readonly DraftNode[], id: string): { up: boolean; down: boolean } {
  const place = placeOf(nodes, id) ?? 0
  return { up: place > 0, down: place + 1 < placesIn(withoutNode(nodes, id)) }
}

/** The branches of a saved graph, as a person may assume what happens at them. */
export const branchesIn = (graph: SequenceGraph) =>
  [...allNodes(graph.nodes)].filter((node): node is BranchNode => node.type === 'branch')
