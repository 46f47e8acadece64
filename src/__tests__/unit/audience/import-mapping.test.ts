import { expect, test } from 'vitest'
import { type Column, importOptionsSchema, readRow, suggestColumns } from '#lib/audience/import/import-mapping.ts'

test('columns are guessed from their headers, in the languages people write them in', () => {
  expect(suggestColumns(['E-Mail', 'Vorname', 'Nom', 'Favourite colour', '', 'Firma', 'Firma', '2nd'], [])).toEqual([
    { to: 'email' },
    { to: 'firstName' },
    { to: 'lastName' },
    { to: 'custom', name: 'favouriteColour', type: 'text' },
    { to: 'ignore' },
    { to: 'company' },
    { to: 'custom', name: 'firma', type: 'text' },
    { to: 'ignore' },
  ])
})

test('where no header says so, the column that holds addresses is the address', () => {
  expect(
    suggestColumns(
      ['who', 'reach'],
      [
        ['Ann', 'ann@example.com'],
        ['Bob', ''],
        ['Cy', 'cy@example.com'],
      ],
    )[1],
  ).toEqual({
    to: 'email',
  })
})

test.each<[string, Column[], string]>([
  ['no address', [{ to: 'company' }], 'One column has to be the address.'],
  ['two addresses', [{ to: 'email' }, { to: 'email' }], 'Two columns go to email.'],
  [
    'a field twice',
    [{ to: 'email' }, { to: 'custom', name: 'x', type: 'text' }, { to: 'custom', name: 'x', type: 'date' }],
    'Two columns go to x.',
  ],
])('a mapping with %s is refused', (_, columns, told) => {
  const parsed = importOptionsSchema.safeParse({ columns, onKnown: 'update' })
  expect(parsed.error?.issues[0]?.message).toBe(told)
})

const columns: Column[] = [
  { to: 'email' },
  { to: 'firstName' },
  { to: 'timeZone' },
  { to: 'custom', name: 'score', type: 'number' },
  { to: 'custom', name: 'member', type: 'boolean' },
  { to: 'custom', name: 'since', type: 'date' },
]

test('cells become values of their types, and empty ones nothing', () => {
  expect(readRow(columns, [' Ann@Example.com ', ' Ann ', 'Europe/Berlin', '-4.5', 'Yes', '2026-02-28', ''])).toEqual({
    ok: true,
    row: {
      address: 'ann@example.com',
      firstName: 'Ann',
      lastName: null,
      company: null,
      timeZone: 'Europe/Berlin',
      customFields: { score: -4.5, member: true, since: '2026-02-28' },
    },
  })
  expect(readRow(columns, ['ann@example.com'])).toMatchObject({ ok: true, row: { firstName: null, customFields: {} } })
})

test.each([
  [['ann@example.com', 'x'.repeat(201)], 'Column 2: A first name has at most 200 characters.'],
  [['ann@example.com', '', 'Mars/Olympus'], 'Column 3: This is not a time zone like Europe/Berlin.'],
  [['ann@example.com', '', '', '1e5'], 'Column 4 (score) is not a number like 1234.5.'],
  [['ann@example.com', '', '', '', 'perhaps'], 'Column 5 (member) is neither yes nor no.'],
  [['ann@example.com', '', '', '', '', '2026-02-30'], 'Column 6 (since) is not a date like 2026-11-18.'],
  [['ann@example.com', 'a', '', '', '', '', 'more'], 'The line has 7 cells, and there are only 6 columns.'],
  [['ann@example.com', 'nul\u0000l'], 'Column 2: A first name holds control characters.'],
  [[''], 'There is no address.'],
])('%j is refused in words that quote no cell', (cells, reason) => {
  expect(readRow(columns, cells)).toEqual({ ok: false, reason })
})
