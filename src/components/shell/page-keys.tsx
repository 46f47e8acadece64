'use client'

import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useRef } from 'react'
import { type Shortcut, useKeySequences } from './use-key-sequences.ts'

/** As the sheet of shortcuts lists them, and the command menu does them. */
export type ListedKeys = Pick<Shortcut, 'keys' | 'label'> & { run?: () => void }

const PageKeysContext = createContext<(keys: readonly ListedKeys[]) => void>(() => undefined)

/** Around a page, by the shell: it is told the keys of the page that is open, to list them with its own. */
export function PageKeys({ onKeys, children }: { onKeys: (keys: readonly ListedKeys[]) => void; children: ReactNode }) {
  return <PageKeysContext value={onKeys}>{children}</PageKeysContext>
}

/** The keys of one page, for as long as it is open. They come before the shell's own, and stand first under `?`. */
export function usePageKeys(shortcuts: readonly Shortcut[]): void {
  const list = useContext(PageKeysContext)
  useKeySequences(shortcuts, 'first')
  // As the page is when it is done, and not as it was when it was listed.
  const now = useRef(shortcuts)
  useEffect(() => {
    now.current = shortcuts
  })
  const publish = useEffectEvent(() =>
    list(shortcuts.map(({ keys, label }, index) => ({ keys, label, run: () => now.current[index]?.action() }))),
  )
  const names = shortcuts.map(({ label }) => label).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew when the page has other keys, and not at every drawing
  useEffect(() => {
    publish()
    return () => list([])
  }, [names, list])
}
