'use client'

import type { RefObject } from 'react'
import type { Shortcut } from '../../shell/use-key-sequences.ts'

/** What keys do in a table; rows that are not drawn are drawn first. */
export interface TableHandle {
  move: (steps: 1 | -1) => void
  toggleFocused: () => void
  /** Scrolls to a row without taking the focus. */
  show: (index: number) => void
  /** Gives the focus back to the row that had it last. */
  focusLast: () => void
}

export function tableKeys(table: RefObject<TableHandle | null>): Shortcut[] {
  return [
    { keys: ['j'], label: 'Next row', action: () => table.current?.move(1) },
    { keys: ['k'], label: 'Previous row', action: () => table.current?.move(-1) },
    { keys: ['x'], label: 'Select the row', action: () => table.current?.toggleFocused() },
    // The row itself listens: everywhere else Enter belongs to what has the focus.
    { keys: ['↵'], label: 'Open the row', action: () => undefined },
  ]
}
