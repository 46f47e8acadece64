'use client'

import { useState } from 'react'

/** Rows that were chosen one by one, or all that match but for some. */
export type Selection = { kind: 'some'; ids: ReadonlySet<string> } | { kind: 'all'; exceptIds: ReadonlySet<string> }

export const NOTHING_SELECTED: Selection = { kind: 'some', ids: new Set() }

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'all' ? !selection.exceptIds.has(id) : selection.ids.has(id)
}

/** How many are selected, and how many match; unknown while those are not counted. */
export function countSelected(selection: Selection, total: number | undefined): number | undefined {
  if (selection.kind === 'some') return selection.ids.size
  return total === undefined ? undefined : Math.max(0, total - selection.exceptIds.size)
}

export function toggled(selection: Selection, id: string): Selection {
  const flip = (ids: ReadonlySet<string>) => {
    const next = new Set(ids)
    if (!next.delete(id)) next.add(id)
    return next
  }
  return selection.kind === 'all'
    ? { kind: 'all', exceptIds: flip(selection.exceptIds) }
    : { kind: 'some', ids: flip(selection.ids) }
}

export type SelectionState = {
  selection: Selection
  toggle: (id: string) => void
  select: (ids: readonly string[]) => void
  selectAll: () => void
  clear: () => void
}

/** Kept for as long as the same rows are asked for: what was chosen in one list says nothing about another. */
export function useSelection(listKey: string): SelectionState {
  const [state, setState] = useState({ listKey, selection: NOTHING_SELECTED })
  const selection = state.listKey === listKey ? state.selection : NOTHING_SELECTED
  const set = (next: Selection) => setState({ listKey, selection: next })
  return {
    selection,
    toggle: (id) => set(toggled(selection, id)),
    select: (ids) => set({ kind: 'some', ids: new Set(ids) }),
    selectAll: () => set({ kind: 'all', exceptIds: new Set() }),
    clear: () => set(NOTHING_SELECTED),
  }
}
