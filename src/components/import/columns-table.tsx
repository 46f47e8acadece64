'use client'

import clsx from 'clsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { useCustomFields } from '../prospects/use-audience.ts'
import { CUSTOM_TYPES, choiceOf, choicesFor, columnOf, examplesOf, NEW_FIELD } from './column-choices.ts'
import type { CustomType, ImportColumn } from './import-draft.ts'
import type { Preview } from './import-form.ts'

interface ColumnsTableProps {
  preview: Preview
  columns: readonly ImportColumn[]
  onChange: (columns: ImportColumn[]) => void
}

/** A line for each column of the file: its name, some of its values, and where it goes. */
export function ColumnsTable({ preview, columns, onChange }: ColumnsTableProps) {
  const customFields = useCustomFields()
  const choices = choicesFor(customFields, columns)
  const set = (index: number, column: ImportColumn) => onChange(columns.with(index, column))
  return (
    <ul className="divide-y divide-border border-border border-y">
      {columns.map((column, index) => {
        const name = preview.headers[index] || `Column ${index + 1}`
        const isLeftOut = column.to === 'ignore'
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place
            key={index}
            className="grid grid-cols-[minmax(0,1fr)] items-center gap-x-4 gap-y-1.5 px-4 py-2.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_minmax(0,1.6fr)]"
          >
            <span className={clsx('truncate font-medium text-sm', isLeftOut && 'text-muted')} title={name}>
              {name}
            </span>
            <span className="truncate text-muted text-sm" title={examplesOf(preview, index).join(' · ')}>
              {examplesOf(preview, index).join(' · ') || 'empty in the first rows'}
            </span>
            <div className="flex flex-wrap items-center gap-2">
              <Select
                aria-label={`Where ${name} goes`}
                className="min-w-40 flex-1"
                options={choices}
                value={choiceOf(column)}
                onValueChange={(choice) => set(index, columnOf(choice, column))}
              />
              {column.to === 'custom' && (
                <CustomField
                  name={name}
                  column={column}
                  isNamed={choiceOf(column) !== NEW_FIELD && customFields.includes(column.name)}
                  onChange={(next) => set(index, next)}
                />
              )}
            </div>
          </li>
        )
      })}
    </ul>
  )
}

interface CustomFieldProps {
  name: string
  column: Extract<ImportColumn, { to: 'custom' }>
  /** It is there already, so its name stands. */
  isNamed: boolean
  onChange: (column: ImportColumn) => void
}

function CustomField({ name, column, isNamed, onChange }: CustomFieldProps) {
  return (
    <>
      {!isNamed && (
        <Input
          aria-label={`Name of the new field for ${name}`}
          placeholder="fieldName"
          className="w-36! flex-1"
          value={column.name}
          maxLength={50}
          onChange={(event) => onChange({ ...column, name: event.target.value })}
        />
      )}
      <Select
        aria-label={`What ${name} holds`}
        className="w-36! flex-none"
        options={CUSTOM_TYPES}
        value={column.type}
        onValueChange={(type) => onChange({ ...column, type: type as CustomType })}
      />
    </>
  )
}
