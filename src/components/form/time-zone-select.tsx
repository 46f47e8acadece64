'use client'

import clsx from 'clsx'
import { ChevronDown } from 'lucide-react'
import dynamic from 'next/dynamic'
import { Popover } from 'radix-ui'
import { useId, useState, useSyncExternalStore } from 'react'
import { controlStyle } from '#components/ui/control/control-style.ts'
import { useFieldWiring } from '#components/ui/control/field.tsx'
import { menuSurface } from '#components/ui/overlay/menu-style.ts'
import { browserTimeZone } from './time-zones.ts'

/** Fetched when it is first opened: few change their zone. */
const ZoneList = dynamic(() => import('./zone-list.tsx').then((part) => part.ZoneList), { ssr: false })

interface TimeZoneSelectProps {
  name: string
  /** Without one, the zone that the browser is in. */
  initialZone?: string
  onChoose?: (zone: string) => void
  isDisabled?: boolean
}

/** Four hundred zones: one types a few letters of the city. */
export function TimeZoneSelect({ name, initialZone, onChoose, isDisabled }: TimeZoneSelectProps) {
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
              onChoose?.(next)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function neverChanges() {
  return () => undefined
}
