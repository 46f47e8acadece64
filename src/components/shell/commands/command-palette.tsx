'use client'

import { Command, defaultFilter } from 'cmdk'
import { Building2, Monitor, Moon, Search, Sun, Zap } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { Kbd } from '#components/ui/control/kbd.tsx'
import { NavIcon } from '../nav-icon.tsx'
import type { CommandIcon, CommandItem } from './command-items.ts'
import { commandField } from './command-style.ts'

interface CommandPaletteProps {
  items: readonly CommandItem[]
  search: string
  onSearch: (search: string) => void
  /** Enter was pressed before this was here. */
  isEntered: boolean
  /** Before the command itself, which may open something of its own. */
  onRun: () => void
}

/** What the command menu searches and lists. */
export function CommandPalette({ items, search, onSearch, isEntered, onRun }: CommandPaletteProps) {
  const field = useRef<HTMLInputElement>(null)
  const groups = Map.groupBy(items, (item) => item.group)

  const run = (item: CommandItem) => {
    onRun()
    item.run()
  }

  // It takes the place of a field that a person may be typing into.
  const onMount = useEffectEvent(() => {
    field.current?.focus()
    const best = isEntered && search.trim() !== '' && bestOf(items, search)
    if (best) run(best)
  })
  useEffect(() => onMount(), [])

  return (
    <Command label="Command menu" loop>
      <div className={commandField.frame}>
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Command.Input
          ref={field}
          value={search}
          onValueChange={onSearch}
          placeholder={commandField.placeholder}
          className={commandField.input}
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
                keywords={keywordsOf(item)}
                onSelect={() => run(item)}
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
  )
}

const keywordsOf = ({ label, keywords = [] }: CommandItem) => [label, ...keywords]

/** What the list below would have on top. */
function bestOf(items: readonly CommandItem[], search: string): CommandItem | undefined {
  const scored = items.map((item) => ({ item, score: defaultFilter(item.id, search, keywordsOf(item)) }))
  return scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score)[0]?.item
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
