import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filterIn, isNarrowed, keyOf, paramsOf } from '#components/prospects/prospect-filter.ts'
import { countSelected, isSelected, NOTHING_SELECTED, toggled } from '#components/ui/data-table/selection.ts'

const UUID = '0199a2b4-7c00-7000-8000-000000000001'

test('a filter survives its way through the address', () => {
  const field = fc.constantFrom('company', 'city', 'firstName')
  const filter = fc.record(
    {
      search: fc.constantFrom('ada', 'müller & söhne', 'a=b&c'),
      listId: fc.constant(UUID),
      state: fc.constantFrom('active', 'paused', 'archived'),
      contacted: fc.constantFrom('yes', 'no'),
      has: field,
      lacks: field,
      importId: fc.constant(UUID),
      outcome: fc.constantFrom('created', 'unchanged'),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(filter, (wanted) => {
      const params = new URLSearchParams()
      for (const [name, value] of Object.entries(paramsOf(wanted as never))) if (value) params.set(name, value)
      const read = filterIn(new URLSearchParams(params.toString()))
      expect(keyOf(read)).toBe(keyOf(wanted as never))
    }),
  )
})

test.each([
  'state=dead',
  'list=1',
  'contacted=maybe',
  'has=first name',
  'lacks=%27%3BDROP',
  'outcome=lost',
  'import=x',
  'q=%20%20',
])('%s asks for nothing that the API would refuse', (address) => {
  expect(isNarrowed(filterIn(new URLSearchParams(address)))).toBe(false)
})

test('rows are ticked one by one, or all but some, whether they are loaded or not', () => {
  const some = toggled(toggled(NOTHING_SELECTED, 'a'), 'b')
  expect([isSelected(some, 'a'), isSelected(some, 'c'), countSelected(some, 100)]).toEqual([true, false, 2])
  expect(countSelected(toggled(some, 'a'), 100)).toBe(1)
  const all = toggled({ kind: 'all', exceptIds: new Set() }, 'a')
  expect([isSelected(all, 'a'), isSelected(all, 'never loaded')]).toEqual([false, true])
  expect([countSelected(all, 100), countSelected(all, undefined)]).toEqual([99, undefined])
})
