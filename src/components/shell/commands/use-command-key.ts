'use client'

import { useSyncExternalStore } from 'react'

/** How this person's keyboard calls the key beside K: the server cannot know, and says Ctrl. */
export function useCommandKey(): '⌘' | 'Ctrl' {
  return useSyncExternalStore(
    neverChanges,
    () => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'),
    () => 'Ctrl',
  )
}

function neverChanges() {
  return () => undefined
}
