'use client'

import { Command } from 'cmdk'
import { Building2, Monitor, Moon, Search, Sun, Zap } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect } from 'react'
import { Kbd } from '../ui/kbd.tsx'
import { useFocusReturn } from '../ui/use-focus-return.ts'
import type { CommandIcon, CommandItem } from './command-items.ts'
import { NavIcon } from './nav-icon.tsx'

interface CommandMenuProps {
  items: readonly CommandItem[]
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

/** ⌘K or Ctrl-K, from anywhere, even out of a field. */
export function CommandMenu({ items, isOpen, onOpenChange }: CommandMenuProps) {
  const focusReturn = useFocusReturn()

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      onOpenChange(!isOpen)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOpen, onOpenChange])

  const groups = Map.groupBy(items, (item) => item.group)

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
          <Command label="Command menu" loop>
            <div className="flex items-center gap-2.5 border-border border-b px-4">
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
              <Command.Input
                placeholder="Go to a page, or do something…"
                className="h-12 w-full bg-transparent text-base outline-none lg:text-sm"
              />
              <Kbd>Esc</Kbd>
            </div>
            <Command.List
              label="Commands"
              className="max-h-[min(24rem,60dvh)] overflow-y-auto overscroll-contain p-1.5 outline-none"
            >
              <Command.Empty className="px-3 py-8 text-center text-muted text-sm">
                Nothing here goes by that name.
              </Command.Empty>
              {[...groups].map(([group, itemsOfGroup]) => (
                <Command.Group
                  key={group}
                  heading={group}
                  className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs"
                >
                  {itemsOfGroup.map((item) => (
                    <Command.Item
                      key={item.id}
                      value={item.id}
                      keywords={[item.label, ...(item.keywords ?? [])]}
                      onSelect={() => {
                        onOpenChange(false)
                        item.run()
                      }}
                      className="flex min-h-10 cursor-default items-center gap-2.5 rounded-md px-2.5 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent-text lg:min-h-9 [&>svg]:size-4 [&>svg]:shrink-0"
                    >
                      {iconOf(item.icon ?? 'action')}
                      <span className="truncate">{item.label}</span>
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function iconOf(icon: CommandIcon): ReactNode {
  switch (icon) {
    case 'action':
      return <Zap aria-hidden />
    case 'workspace':
      return <Building2 aria-hidden />
    case 'system':
      return <Monitor aria-hidden />
    case 'light':
      return <Sun aria-hidden />
    case 'dark':
      return <Moon aria-hidden />
    default:
      return <NavIcon name={icon} />
  }
}
