'use client'

import clsx from 'clsx'
import { Command } from 'cmdk'
import { Check, ChevronDown, Search } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId, useMemo, useState, useSyncExternalStore } from 'react'
import { controlStyle } from '../ui/control-style.ts'
import { useFieldWiring } from '../ui/field.tsx'
import { menuSurface } from '../ui/menu-style.ts'
import { browserTimeZone, offsetNow, timeZonesWith } from './time-zones.ts'

interface TimeZoneSelectProps {
  name: string
  /** Without one, the zone that the browser is in. */
  initialZone?: string
  isDisabled?: boolean
}

/** Four hundred zones: one types a few letters of the city. */
export function TimeZoneSelect({ name, initialZone, isDisabled }: TimeZoneSelectProps) {
  const wiring = useFieldWiring()
  const listId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [chosen, setChosen] = useState(initialZone)
  // The server cannot know where the browser is; it says UTC, and the browser puts it right when it takes over.
  const here = useSyncExternalStore(neverChanges, browserTimeZone, () => 'UTC')
  const zone = chosen ?? here

  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <input type="hidden" name={name} value={zone} />
      <Popover.Trigger asChild>
        <button
          type="button"
          {...wiring}
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={listId}
          disabled={isDisabled}
          className={clsx(
            controlStyle,
            'inline-flex h-10 items-center justify-between gap-2 text-left enabled:cursor-pointer lg:h-8',
          )}
        >
          <span className="truncate">{zone}</span>
          <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          id={listId}
          aria-label="Time zones"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={clsx(menuSurface, 'w-(--radix-popover-trigger-width) min-w-64 p-0!')}
        >
          <ZoneList
            zone={zone}
            onChoose={(next) => {
              setChosen(next)
              setIsOpen(false)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function ZoneList({ zone, onChoose }: { zone: string; onChoose: (zone: string) => void }) {
  const zones = useMemo(() => {
    const now = new Date()
    return timeZonesWith(zone).map((name) => ({ name, offset: offsetNow(name, now) }))
  }, [zone])
  return (
    <Command label="Search for a time zone" defaultValue={zone} loop>
      <div className="flex items-center gap-2 border-border border-b px-3">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Command.Input
          placeholder="City or region…"
          className="h-10 w-full bg-transparent text-base outline-none lg:text-sm"
        />
      </div>
      <Command.List label="Time zones" className="max-h-64 overflow-y-auto overscroll-contain p-1 outline-none">
        <Command.Empty className="px-3 py-6 text-center text-muted text-sm">No zone goes by that name.</Command.Empty>
        {zones.map(({ name, offset }) => (
          <Command.Item
            key={name}
            value={name}
            keywords={[name.replaceAll('_', ' '), offset]}
            onSelect={() => onChoose(name)}
            className="flex min-h-9 cursor-default items-center gap-2 rounded-md px-2 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent-text lg:min-h-8"
          >
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="text-xs">{offset}</span>
            <Check aria-hidden className={clsx('size-4 shrink-0', name !== zone && 'invisible')} />
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}

function neverChanges() {
  return () => undefined
}
