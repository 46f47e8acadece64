import { expect, test } from 'vitest'
import {
  choiceOf,
  choicesFor,
  columnOf,
  examplesOf,
  NEW_FIELD,
  problemWith,
} from '#components/import/column-choices.ts'
import type { ImportColumn } from '#components/import/import-draft.ts'

const email: ImportColumn = { to: 'email' }
const city: ImportColumn = { to: 'custom', name: 'city', type: 'number' }

test('a choice and the column that it stands for lead to each other, and a field keeps what it holds', () => {
  for (const column of [email, city, { to: 'ignore' } as const])
    expect(columnOf(choiceOf(column), column)).toEqual(column)
  expect(columnOf('custom:zip', city)).toEqual({ to: 'custom', name: 'zip', type: 'number' })
  expect(columnOf(NEW_FIELD, email)).toEqual({ to: 'custom', name: '', type: 'text' })
})

test('fields that are new are told from those of the workspace', () => {
  const labels = choicesFor(['zip'], [email, city]).map(({ label }) => label)
  expect(labels).toContain('zip')
  expect(labels).toContain('city (new field)')
})

test.each<[string, ImportColumn[], RegExp | null]>([
  ['an address and a field', [email, city], null],
  ['columns that are left out twice', [email, { to: 'ignore' }, { to: 'ignore' }], null],
  ['no address', [city], /which column is the address/],
  ['two addresses', [email, email], /Two columns go to the address/],
  ['one field twice', [email, city, city], /Two columns go to city/],
  ['a field without a name', [email, { to: 'custom', name: '', type: 'text' }], /The name of a field/],
  ['a field that no text can name', [email, { to: 'custom', name: '1st', type: 'text' }], /a letter first/],
])('of %s', (_, columns, expected) => {
  const problem = problemWith(columns)
  if (expected === null) expect(problem).toBeNull()
  else expect(problem).toMatch(expected)
})

test('examples are a few values, each once, and none of the empty ones', () => {
  const rows = ['Bonn', '', 'Bonn', ' Ulm ', 'Rome', 'Oslo'].map((cell, line) => ({ line, cells: ['x', cell] }))
  expect(examplesOf({ rows }, 1)).toEqual(['Bonn', 'Ulm', 'Rome'])
  expect(examplesOf({ rows }, 2)).toEqual([])
})
