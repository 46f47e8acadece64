'use client'

import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useEffect, useEffectEvent, useState } from 'react'
import { Kbd } from '#components/ui/control/kbd.tsx'
import { useFocusReturn } from '#components/ui/overlay/use-focus-return.ts'
import { useOnDemand } from '../../use-on-demand.ts'
import type { CommandItem } from './command-items.ts'
import { commandField } from './command-style.ts'

interface CommandMenuProps {
  items: readonly CommandItem[]
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

const loadPalette = async () => (await import('./command-palette.tsx')).CommandPalette

/**
 * ⌘K or Ctrl-K, from anywhere, even out of a field. What searches and lists is fetched when it is first opened; the
 * field is there at once, and what is typed into it until then is kept, its Enter too.
 */
export function CommandMenu({ items, isOpen, onOpenChange }: CommandMenuProps) {
  const focusReturn = useFocusReturn()
  const [search, setSearch] = useState('')
  const [isEntered, setIsEntered] = useState(false)
  const [Palette, fetchPalette] = useOnDemand(loadPalette)

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    onOpenChange(!isOpen)
  })
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])

  const onOpen = useEffectEvent(async () => {
    setSearch('')
    setIsEntered(false)
    if (!(await fetchPalette())) onOpenChange(false)
  })
  useEffect(() => {
    if (isOpen) void onOpen()
  }, [isOpen])

  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Radix.Content
          {...focusReturn}
          aria-describedby={undefined}
          className="-translate-x-1/2 fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl animate-appear overflow-hidden rounded-xl border border-border bg-raised shadow-raised outline-none"
        >
          <Radix.Title className="sr-only">Command menu</Radix.Title>
          {Palette ? (
            <Palette
              items={items}
              search={search}
              onSearch={setSearch}
              isEntered={isEntered}
              onRun={() => onOpenChange(false)}
            />
          ) : (
            <div className={commandField.frame}>
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
              <input
                aria-label="Command menu"
                placeholder={commandField.placeholder}
                className={commandField.input}
                value={search}
                onChange={(event) => {
                  setSearch(event.target.value)
                  setIsEntered(false)
                }}
                onKeyDown={(event) => event.key === 'Enter' && setIsEntered(true)}
              />
              <Kbd>Esc</Kbd>
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
