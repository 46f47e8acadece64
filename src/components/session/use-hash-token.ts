'use client'

import { useSyncExternalStore } from 'react'

/** The token that a link carries behind its #, which no server sees. Undefined until the browser has been asked. */
export function useHashToken(): string | null | undefined {
  return useSyncExternalStore(
    (onChange) => {
      window.addEventListener('hashchange', onChange)
      return () => window.removeEventListener('hashchange', onChange)
    },
    () => new URLSearchParams(window.location.hash.slice(1)).get('token'),
    () => undefined,
  )
}
