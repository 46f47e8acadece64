import type { CustomValue } from '#lib/audience/fields.ts'

/** What a branch can wait for. The last three end what a person gets of a campaign, whatever the sequence says. */
export const AWAITED_EVENTS = {
  OPENED: { words: 'opened the email before', isExit: false },
  CLICKED: { words: 'followed a link of the email before', isExit: false },
  CUSTOM: { words: 'did what a program tells of', isExit: false },
  REPLIED: { words: 'replied', isExit: true },
  BOUNCED: { words: 'has an address that bounced', isExit: true },
  UNSUBSCRIBED: { words: 'unsubscribed', isExit: true },
} as const

export type AwaitedEvent = keyof typeof AWAITED_EVENTS

export const AWAITED_EVENT_NAMES = Object.keys(AWAITED_EVENTS) as [AwaitedEvent, ...AwaitedEvent[]]

export type Awaited = { event: AwaitedEvent /** Of a custom event. */; name?: string | undefined }

/** What they did, of a custom event by its name: “they …”. */
export const awaitedWords = ({ event, name }: Awaited) =>
  name === undefined ? AWAITED_EVENTS[event].words : `did “${name}”`

/** Of 24 hours each; or until the workspace's clock shows that time next; or until a moment. */
export type WaitFor =
  | { kind: 'days'; days: number }
  | { kind: 'time-of-day'; time: string }
  | { kind: 'until'; at: string }

type Node<Type extends string, Rest = unknown> = { id: string; type: Type } & Rest

export type EmailNode = Node<'email', { stepNumber: number }>
export type WaitNode = Node<'wait', { for: WaitFor }>
/** Yes: it happened within that number of days, of 24 hours each, since the email before was handed over. No: it did not. */
export type BranchNode = Node<'branch', { if: Awaited; withinDays: number; yes: GraphNode[]; no: GraphNode[] }>
export type SetFieldNode = Node<'set-field', { field: string; value: CustomValue | null }>
export type ListNode = Node<'add-to-list' | 'remove-from-list', { listId: string }>
export type MoveNode = Node<'move', { campaignId: string }>
export type NotifyNode = Node<'notify', { personId: string; note: string }>
export type EndNode = Node<'end'>

export type GraphNode = EmailNode | WaitNode | BranchNode | SetFieldNode | ListNode | MoveNode | NotifyNode | EndNode

export type NodeType = GraphNode['type']

/** What each node is called, and what it does, for the editor and the docs. */
export const NODE_TYPES: Record<NodeType, { name: string; sentence: string }> = {
  email: { name: 'Email', sentence: 'Sends one step of the sequence, its days after what comes before it.' },
  wait: { name: 'Wait', sentence: 'Lets time pass: days, until a time of the day, or until a moment.' },
  branch: {
    name: 'If … then, else',
    sentence: 'Goes one way when something happens in time, and another when it does not.',
  },
  'set-field': { name: 'Set a field', sentence: 'Writes a field of the person.' },
  'add-to-list': { name: 'Add to a list', sentence: 'Adds the person to a list.' },
  'remove-from-list': { name: 'Remove from a list', sentence: 'Takes the person from a list.' },
  move: { name: 'Move on to another sequence', sentence: 'Ends here, and adds the person to another campaign.' },
  notify: { name: 'Notify a teammate', sentence: 'Sends a member a mail, and programs a webhook.' },
  end: { name: 'End', sentence: 'Nothing more of this sequence comes.' },
}

export const NODE_TYPE_NAMES = Object.keys(NODE_TYPES) as [NodeType, ...NodeType[]]

/**
 * The order of a sequence: a list, whose branches hold a list for each side. After a branch the list goes on for both
 * sides, but for a side that ends.
 */
export type SequenceGraph = { nodes: GraphNode[] }

export const GRAPH_NODES_MAX = 100
/** Branches inside one another. */
export const GRAPH_DEPTH_MAX = 4
export const GRAPH_WAIT_DAYS_MAX = 90

/** Every node with those inside its branches, in the order in which they are read. */
export function* allNodes(nodes: readonly GraphNode[]): Generator<GraphNode> {
  for (const node of nodes) {
    yield node
    if (node.type === 'branch') {
      yield* allNodes(node.yes)
      yield* allNodes(node.no)
    }
  }
}
