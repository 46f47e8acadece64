'use client'

import type { RefObject } from 'react'
import type { Shortcut } from '../shell/use-key-sequences.ts'

/** `j` and `k` move the focus from row to row of the tables in a place; at an end it stays. */
export function rowKeys(place: RefObject<HTMLElement | null>): Shortcut[] {
  const move = (steps: 1 | -1) => {
    const rows = [...(place.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = rows.findIndex((row) => row.contains(document.activeElement))
    const next = at === -1 ? rows[0] : rows[at + steps]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  return [
    { keys: ['j'], label: 'Next row', action: () => move(1) },
    { keys: ['k'], label: 'Previous row', action: () => move(-1) },
  ]
}

/** `x` ticks the row with the focus, by the box in it that is for that. */
export function selectKey(place: RefObject<HTMLElement | null>): Shortcut {
  const toggle = () => {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]')
    if (row && place.current?.contains(row)) row.querySelector<HTMLInputElement>('[data-select]')?.click()
  }
  return { keys: ['x'], label: 'Select the row', action: toggle }
}
