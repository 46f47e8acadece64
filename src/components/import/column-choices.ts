import { fieldLabel, STANDARD_FIELDS } from '../prospects/field-words.ts'
import type { CustomType, ImportColumn, NamedColumn } from './import-draft.ts'
import type { Preview } from './import-form.ts'

/** What a column can become, as the choice of a select; `new` asks for a name. */
export const NEW_FIELD = 'new'
const CUSTOM = 'custom:'

export const CUSTOM_TYPES: readonly { value: CustomType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'date', label: 'Date (2026-11-18)' },
]

export function choicesFor(customFields: readonly string[], columns: readonly ImportColumn[]) {
  const own = new Set(customFields)
  for (const column of columns) if (column.to === 'custom' && column.name !== '') own.add(column.name)
  return [
    { value: 'email', label: 'Address' },
    ...STANDARD_FIELDS.map((field) => ({ value: field, label: fieldLabel(field) })),
    ...[...own].sort().map((name) => ({
      value: `${CUSTOM}${name}`,
      label: customFields.includes(name) ? name : `${name} (new field)`,
    })),
    { value: NEW_FIELD, label: 'Another new field…' },
    { value: 'ignore', label: 'Leave out' },
  ]
}

export function choiceOf(column: ImportColumn): string {
  if (column.to !== 'custom') return column.to
  return column.name === '' ? NEW_FIELD : `${CUSTOM}${column.name}`
}

export function columnOf(choice: string, before: ImportColumn): ImportColumn {
  const type = before.to === 'custom' ? before.type : 'text'
  if (choice === NEW_FIELD) return { to: 'custom', name: '', type }
  if (choice.startsWith(CUSTOM)) return { to: 'custom', name: choice.slice(CUSTOM.length), type }
  return { to: choice as NamedColumn }
}

/** A few values of a column, each once. */
export function examplesOf({ rows }: Pick<Preview, 'rows'>, index: number): string[] {
  const values = rows.map(({ cells }) => (cells[index] ?? '').trim()).filter((value) => value !== '')
  return [...new Set(values)].slice(0, 3)
}

/** Why it cannot begin like this, if so. The server has the last word; this one comes before the file is sent. */
export function problemWith(columns: readonly ImportColumn[]): string | null {
  if (!columns.some(({ to }) => to === 'email')) return 'Say which column is the address.'
  if (columns.some((column) => column.to === 'custom' && !/^[a-zA-Z][a-zA-Z0-9_]{0,49}$/.test(column.name)))
    return 'The name of a field has letters, digits and _, at most 50, a letter first.'
  const taken = columns.map(choiceOf).filter((choice) => choice !== 'ignore')
  const twice = taken.find((choice, index) => taken.indexOf(choice) !== index)
  if (!twice) return null
  return `Two columns go to ${twice === 'email' ? 'the address' : fieldLabel(twice.replace(CUSTOM, '')).toLowerCase()}. Leave one of them out.`
}
