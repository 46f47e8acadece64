'use client'

import { IntentLink } from '../shell/intent-link.tsx'
import type { DataColumn } from '../ui/data-table/columns.ts'
import { DateTime } from '../ui/date-time.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { fieldLabel, STANDARD_FIELDS } from './field-words.ts'
import { lookOfPerson, nameOfPerson } from './person-state.ts'
import type { ListedPerson } from './use-prospects.ts'

export type ColumnChoice = { key: string; label: string }

/** What may be shown beside the address. */
export function columnChoices(customFields: readonly string[]): ColumnChoice[] {
  return [
    { key: 'name', label: 'Name' },
    { key: 'state', label: 'State' },
    { key: 'company', label: 'Company' },
    { key: 'timeZone', label: 'Time zone' },
    { key: 'added', label: 'Added' },
    ...customFields.filter((name) => !STANDARD_FIELDS.includes(name)).map((name) => ({ key: name, label: name })),
  ]
}

/** The address, which names a row, and what was chosen, in the order of the choices. */
export function columnsFor(
  chosen: readonly string[],
  customFields: readonly string[],
  timeZone: string,
): DataColumn<ListedPerson>[] {
  const email: DataColumn<ListedPerson> = {
    key: 'email',
    label: 'Address',
    widthPx: 260,
    isRowHeader: true,
    cell: (person) => (
      <IntentLink href={`/prospects/${person.id}`} className="hover:underline" title={person.email ?? undefined}>
        {person.email ?? nameOfPerson(person)}
      </IntentLink>
    ),
  }
  const others = columnChoices(customFields)
    .filter(({ key }) => chosen.includes(key))
    .map(({ key, label }) => columnOf(key, label, timeZone))
  return [email, ...others]
}

function columnOf(key: string, label: string, timeZone: string): DataColumn<ListedPerson> {
  switch (key) {
    case 'name':
      return {
        ...{ key, label, widthPx: 180 },
        cell: ({ firstName, lastName }) => <Text value={[firstName, lastName].filter(Boolean).join(' ')} />,
      }
    case 'state':
      return {
        ...{ key, label, widthPx: 140, isOnPhones: true },
        cell: (person) => <StatusBadge look={lookOfPerson(person)} />,
      }
    case 'company':
      return { ...{ key, label, widthPx: 180, isOnPhones: true }, cell: ({ company }) => <Text value={company} /> }
    case 'timeZone':
      return { ...{ key, label, widthPx: 160 }, cell: (person) => <Text value={person.timeZone} /> }
    case 'added':
      return {
        ...{ key, label, widthPx: 150 },
        cell: ({ createdAt }) => <DateTime instant={createdAt} timeZone={timeZone} />,
      }
    default:
      return {
        ...{ key, label: fieldLabel(key), widthPx: 150 },
        // A field may be called `constructor`, which every object has.
        cell: ({ customFields }) => <Text value={Object.hasOwn(customFields, key) ? customFields[key] : undefined} />,
      }
  }
}

function Text({ value }: { value: string | number | boolean | null | undefined }) {
  if (value === null || value === undefined || value === '') return null
  const text = typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value)
  return <span title={text}>{text}</span>
}
