'use client'

import { ListFilter, X } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { DropdownMenu, MenuItem, MenuSub } from '#components/ui/overlay/dropdown-menu.tsx'
import { PROSPECT_STATES } from '#lib/audience/prospect.ts'
import { IntentLink } from '../shell/intent-link.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { fieldLabel, fieldWord, STANDARD_FIELDS } from './field-words.ts'
import { type ProspectFilter, paramsOf } from './prospect-filter.ts'
import type { List } from './use-audience.ts'

interface ConditionsProps {
  filter: ProspectFilter
  lists: readonly List[]
  customFields: readonly string[]
}

/** What a filter says, condition by condition, as parts of one sentence about people. */
export function wordsOf(
  filter: ProspectFilter,
  lists: readonly List[],
): { key: keyof ProspectFilter; words: string }[] {
  const list = lists.find(({ id }) => id === filter.listId)
  const said: [keyof ProspectFilter, string | false | undefined][] = [
    ['state', filter.state && PROSPECT_STATES[filter.state].name.toLowerCase()],
    ['listId', filter.listId && (list ? `in list “${list.name}”` : 'in an archived list')],
    ['contacted', filter.contacted && (filter.contacted === 'yes' ? 'contacted' : 'not contacted')],
    ['has', filter.has && `${fieldWord(filter.has)} is set`],
    ['lacks', filter.lacks && `${fieldWord(filter.lacks)} is empty`],
    ['importId', filter.importId && `${filter.outcome ?? 'brought in'} by an import`],
  ]
  return said.flatMap(([key, words]) => (words ? [{ key, words }] : []))
}

/** The conditions that hold, each with its way out, and the menu of all that there are. */
export function Conditions({ filter, lists, customFields }: ConditionsProps) {
  const { hrefWith, change } = useUrlParams()
  const without = (key: keyof ProspectFilter) =>
    hrefWith({
      ...paramsOf({ ...filter, [key]: undefined, ...(key === 'importId' && { outcome: undefined }) }),
      segment: null,
    })
  const add = (more: ProspectFilter) => change({ ...paramsOf({ ...filter, ...more }), segment: null })
  const fields = [...STANDARD_FIELDS, ...customFields]
  return (
    <>
      <DropdownMenu align="start" trigger={<Button icon={<ListFilter />}>Filter</Button>}>
        <MenuSub label="State">
          {Object.entries(PROSPECT_STATES).map(([state, { name }]) => (
            <MenuItem key={state} onSelect={() => add({ state: state as keyof typeof PROSPECT_STATES })}>
              {name}
            </MenuItem>
          ))}
        </MenuSub>
        {lists.length > 0 && (
          <MenuSub label="In list">
            {lists.map(({ id, name }) => (
              <MenuItem key={id} onSelect={() => add({ listId: id })}>
                {name}
              </MenuItem>
            ))}
          </MenuSub>
        )}
        <MenuItem onSelect={() => add({ contacted: 'no' })}>Not contacted</MenuItem>
        <MenuItem onSelect={() => add({ contacted: 'yes' })}>Contacted</MenuItem>
        <MenuSub label="A field is set">
          {fields.map((field) => (
            <MenuItem key={field} onSelect={() => add({ has: field })}>
              {fieldLabel(field)}
            </MenuItem>
          ))}
        </MenuSub>
        <MenuSub label="A field is empty">
          {fields.map((field) => (
            <MenuItem key={field} onSelect={() => add({ lacks: field })}>
              {fieldLabel(field)}
            </MenuItem>
          ))}
        </MenuSub>
      </DropdownMenu>
      {wordsOf(filter, lists).map(({ key, words }) => (
        <span
          key={key}
          className="inline-flex h-10 max-w-full items-center gap-1 rounded-md bg-accent-soft pl-2.5 text-accent-text text-sm lg:h-8"
        >
          <span className="truncate">{words}</span>
          <IntentLink
            href={without(key)}
            aria-label={`Without “${words}”`}
            className="inline-flex h-full items-center rounded-r-md px-2 hover:bg-accent/15"
          >
            <X aria-hidden className="size-3.5" />
          </IntentLink>
        </span>
      ))}
    </>
  )
}
