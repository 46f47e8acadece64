import type { NodeType } from '#lib/sequences/graph/node-types.ts'
import { newKey } from '../editor/draft.ts'
import type { DraftNode } from './graph-draft.ts'

export type AddedType = Exclude<NodeType, 'email'>

/** What can be added besides emails, in the order of a menu. */
export const ADDABLE: readonly AddedType[] = [
  ...(['branch', 'wait', 'set-field', 'add-to-list', 'remove-from-list', 'notify', 'move', 'end'] as const),
]

/** What there is to choose from, with the first of each; a node without one of its kind cannot be added. */
export type FirstChoices = {
  listId: string | undefined
  campaignId: string | undefined
  personId: string
  field: string
}

/** Why one cannot be added at the moment. */
export function lackFor(type: AddedType, { listId, campaignId }: FirstChoices): string | undefined {
  if ((type === 'add-to-list' || type === 'remove-from-list') && listId === undefined) return 'there is no list yet'
  if (type === 'move' && campaignId === undefined) return 'there is no other campaign yet'
  return undefined
}

/** Complete as it is, so that it can be saved before anything else is chosen. */
export function newNode(type: AddedType, { listId = '', campaignId = '', personId, field }: FirstChoices): DraftNode {
  const id = newKey()
  switch (type) {
    case 'branch':
      return { id, type, if: { event: 'CLICKED' }, withinDays: 3, yes: [], no: [] }
    case 'wait':
      return { id, type, for: { kind: 'days', days: 1 } }
    case 'set-field':
      return { id, type, field, value: 'yes' }
    case 'add-to-list':
    case 'remove-from-list':
      return { id, type, listId }
    case 'move':
      return { id, type, campaignId }
    case 'notify':
      return { id, type, personId, note: '' }
    case 'end':
      return { id, type }
  }
}
