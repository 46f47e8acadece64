'use client'

import clsx from 'clsx'
import { Command } from 'cmdk'
import { Check, Search } from 'lucide-react'
import { useMemo } from 'react'
import { offsetNow, timeZonesWith } from './time-zones.ts'

/** Four hundred zones, searched by city, region or offset. */
export function ZoneList({ zone, onChoose }: { zone: string; onChoose: (zone: string) => void }) {
  const zones = useMemo(() => {
    const now = new Date()
    return timeZonesWith(zone).map((name) => ({ name, offset: offsetNow(name, now) }))
  }, [zone])
  return (
    <Command label="Search for a time zone" defaultValue={zone} loop>
      <div className="flex items-center gap-2 border-border border-b px-3">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Command.Input
          // It comes a moment after the list was opened, when the focus has been given already.
          autoFocus
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
