'use client'

import { useRef } from 'react'

/**
 * Radix gives the focus back to a dialog's own trigger. A dialog opened by a shortcut or from a menu has none, and the
 * focus would be lost: this remembers where it was. Where that was a row of a menu, the menu is gone by then, and its
 * button gets the focus.
 */
export function useFocusReturn() {
  const origin = useRef<Element | null>(null)

  return {
    onOpenAutoFocus: () => {
      const active = document.activeElement
      const menuButtonId = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
      origin.current = menuButtonId ? document.getElementById(menuButtonId) : active
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      // What opened the dialog may be gone by what was done in it: the row of a member who was removed.
      const next = origin.current?.isConnected ? origin.current : document.querySelector('main')
      if (next instanceof HTMLElement) next.focus()
    },
  }
}
