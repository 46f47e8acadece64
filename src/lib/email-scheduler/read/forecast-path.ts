import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { CompiledGraph, Target } from '#lib/sequences/graph/compile-graph.ts'
import { awaitedWords, type GraphNode, type NodeType } from '#lib/sequences/graph/node-types.ts'
import { DAY_MS, waitUntil } from '#lib/sequences/graph/wait-until.ts'

export type PathItem = {
  nodeId: string
  type: NodeType
  sentence: string
  stepNumber: number | null
  at: Date | null
  standing: 'happened' | 'planned' | 'forecast'
  side: 'yes' | 'no' | null
}

export type PersonPath = { items: PathItem[]; standsAt: string | null; left: string | null; notes: string[] }

/** Of the lists, campaigns and members that a graph names, by their ids. */
export type NodeNames = ReadonlyMap<string, string>

/** What a node does, for one who looks at a person's way. What has gone for good has no name to be told by. */
export function sentenceOfNode(node: GraphNode, names: NodeNames): string {
  const named = (id: string, other: string) => {
    const name = names.get(id)
    return name === undefined ? other : `“${name}”`
  }
  switch (node.type) {
    case 'email':
      return `The email of step ${node.stepNumber}.`
    case 'wait':
      if (node.for.kind === 'days') return `Waits ${days(node.for.days)}.`
      return node.for.kind === 'until' ? 'Waits until a moment.' : `Waits until ${node.for.time}.`
    case 'branch': {
      const what = awaitedWords(node.if)
      return `Whether the person ${what} within ${days(node.withinDays)}.`
    }
    case 'set-field':
      return node.value === null
        ? `Empties the field ${fieldWords(node.field)}.`
        : `Sets the field ${fieldWords(node.field)} to “${node.value}”.`
    case 'add-to-list':
      return `Adds the person to ${named(node.listId, 'a list that is gone')}.`
    case 'remove-from-list':
      return `Takes the person from ${named(node.listId, 'a list that is gone')}.`
    case 'move':
      return `Moves the person on to ${named(node.campaignId, 'a campaign that is gone')}.`
    case 'notify':
      return `Notifies ${names.get(node.personId) ?? 'a person who has left the workspace'}.`
    case 'end':
      return 'Ends the sequence.'
  }
}

const FIELD_WORDS: Record<string, string> = { firstName: 'first name', lastName: 'last name', company: 'company' }

/** A custom one by its own name. */
const fieldWords = (field: string) => FIELD_WORDS[field] ?? field.replace(/^custom\./, '')

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)

export type Forecasting = {
  graph: CompiledGraph
  calendar: SendingCalendar
  /** The wait before each step, in local days. */
  delays: ReadonlyMap<number, number>
  /** The nodes of branches whose event is assumed to happen. */
  happens: ReadonlySet<string>
  names: NodeNames
}

export type From = {
  target: Target
  at: Date /** When the email before was handed over; null before the first. */
  anchoredAt: Date | null
}

/** How it goes on from there, by windows and waits alone: quotas and what else is planned may move an email on. */
export function forecastPath({ graph, calendar, delays, happens, names }: Forecasting, from: From): PathItem[] {
  const items: PathItem[] = []
  let { at, anchoredAt } = from
  for (let target = from.target; target !== null; ) {
    const found = graph.nodes.get(target)
    if (!found) return items
    const { node } = found
    let side: PathItem['side'] = null
    if (node.type === 'email') {
      const delayDays = anchoredAt === null ? 0 : (delays.get(node.stepNumber) ?? 0)
      const eligibleMs = delayDays === 0 ? at.getTime() : calendar.openingMs(calendar.dayAt(at.getTime()) + delayDays)
      at = new Date(calendar.nextOpenMs(eligibleMs) ?? eligibleMs)
      anchoredAt = at
    } else if (node.type === 'wait') at = waitUntil(node.for, at, calendar.settings.timeZone)
    else if (node.type === 'branch') {
      side = happens.has(node.id) ? 'yes' : 'no'
      const sinceMs = (side === 'yes' ? Math.min(1, node.withinDays) : node.withinDays) * DAY_MS
      at = new Date(Math.max(at.getTime(), (anchoredAt ?? at).getTime() + sinceMs))
    }
    items.push(itemOf(node, { at, standing: 'forecast', side }, names))
    target = 'next' in found ? found.next : side === 'yes' ? found.onEvent : found.onTimeout
  }
  return items
}

export function itemOf(node: GraphNode, how: Pick<PathItem, 'at' | 'standing' | 'side'>, names: NodeNames): PathItem {
  const stepNumber = node.type === 'email' ? node.stepNumber : null
  return { nodeId: node.id, type: node.type, sentence: sentenceOfNode(node, names), stepNumber, ...how }
}

export const FORECAST_NOTE =
  'The forecast knows waits and the sending window. Quotas and what else is planned may move an email to a later time.'
