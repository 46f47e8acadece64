'use client'

import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { api } from '#components/api-client.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { menuRow, menuSurface } from '#components/ui/overlay/menu-style.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'

export type PickedPerson = Pick<
  Received<'GET /api/prospects'>['prospects'][number],
  'id' | 'email' | 'firstName' | 'lastName' | 'company'
>

const SHOWN = 8

/** The newest people, or those whom a search finds. */
export function usePeople(search: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.previewPeople(workspace.id, search),
    queryFn: ({ signal }) =>
      api('GET /api/prospects', {
        query: { search: search.trim() || undefined, state: 'active', limit: SHOWN },
        workspaceId: workspace.id,
        signal,
      }),
    staleTime: 30_000,
  })
}

export function nameOf({ firstName, lastName, email }: PickedPerson): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email || 'An erased person'
}

interface PersonPickerProps {
  person: PickedPerson | null
  onPick: (person: PickedPerson) => void
}

/** A field that searches with each key, and a list below it: arrows move, Enter picks, Escape leaves it as it was. */
export function PersonPicker({ person, onPick }: PersonPickerProps) {
  const id = useId()
  const [search, setSearch] = useState<string | null>(null)
  const [active, setActive] = useState(0)
  const { data } = usePeople(search ?? '')
  const people = data?.prospects ?? []
  const isOpen = search !== null

  function pick(picked: PickedPerson) {
    onPick(picked)
    setSearch(null)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') setSearch(null)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setSearch(search ?? '')
      setActive((at) => Math.max(0, Math.min(people.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1))))
    } else if (event.key === 'Enter' && isOpen && people[active]) pick(people[active])
    else return
    event.preventDefault()
  }

  return (
    <div className="relative min-w-0 flex-1">
      <Input
        role="combobox"
        aria-label="Preview for"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && people[active] ? `${id}-${active}` : undefined}
        autoComplete="off"
        className="pr-8.5!"
        placeholder="Yourself (search people)"
        value={search ?? (person ? nameOf(person) : '')}
        onFocus={(event) => event.target.select()}
        onClick={() => setSearch(search ?? '')}
        onBlur={() => setSearch(null)}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setSearch(event.target.value)
          setActive(0)
        }}
      />
      <ChevronsUpDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="People"
        hidden={!isOpen}
        className={clsx(menuSurface, 'absolute inset-x-0 top-full mt-1 max-h-72')}
      >
        {people.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={one.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            data-highlighted={index === active ? '' : undefined}
            className={clsx(menuRow, 'min-w-0')}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(one)}
          >
            <span className="truncate">{nameOf(one)}</span>
            <span className="ml-auto truncate text-muted text-xs">{one.company ?? one.email}</span>
          </div>
        ))}
        {data && people.length === 0 && <p className="px-2 py-1.5 text-muted text-sm">Nobody goes by that name.</p>}
      </div>
    </div>
  )
}
