'use client'

import { useEffect, useEffectEvent, useRef } from 'react'
import { isTypingTarget, type KeySequence, type PendingKeys, pressKey } from './key-sequences.ts'

export interface Shortcut {
  keys: KeySequence
  /** For the sheet of shortcuts. */
  label: string
  action: () => void
}

/** Listens on the whole page, except while a dialog or a menu is open: those have keys of their own. */
export function useKeySequences(shortcuts: readonly Shortcut[], turn: 'first' | 'last' = 'last'): void {
  const pending = useRef<PendingKeys | null>(null)

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Shift') return
    if (event.defaultPrevented || document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]')) {
      pending.current = null
      return
    }
    const verdict = pressKey(shortcuts, pending.current, {
      key: event.key,
      hasModifier: event.ctrlKey || event.metaKey || event.altKey,
      isTyping: isTypingTarget(event.target instanceof HTMLElement ? event.target : null),
      isRepeat: event.repeat,
      atMs: event.timeStamp,
    })
    pending.current = verdict.pending
    if (verdict.action === null) return
    event.preventDefault()
    verdict.action()
  })

  useEffect(() => {
    // On its way down to what has the focus, before everybody who listens to it on its way up.
    const capture = turn === 'first'
    document.addEventListener('keydown', onKeyDown, { capture })
    return () => document.removeEventListener('keydown', onKeyDown, { capture })
  }, [turn])
}
