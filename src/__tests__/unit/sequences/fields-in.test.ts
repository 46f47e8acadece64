import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldsIn, fieldTag, markFields, marksIn, replaceMarks } from '#lib/sequences/fields-in.ts'
import { MERGE_FIELDS, parseTemplate } from '#lib/sequences/template.ts'

test('right fields are found beside wrong ones', () => {
  const text = 'Hi {{nick}} {{firstName}}, {{ {{company | "a }} b"}} }} {{lastName'
  expect(fieldsIn(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    '{{firstName}}',
    '{{company | "a }} b"}}',
  ])
})

const aField = fc.record({
  field: fc.constantFrom(...Object.keys(MERGE_FIELDS), 'custom.city'),
  fallback: fc.option(fc.string({ minLength: 1, unit: fc.constantFrom('a', '"', '\\', '}', '{', '<', ' ', 'é') })),
})

test('a field that is written is read as the same field, whatever its fallback says', () => {
  fc.assert(
    fc.property(aField, ({ field, fallback }) => {
      fc.pre(fallback === null || fallback.trim() !== '')
      expect(parseTemplate(fieldTag({ field, fallback }))).toEqual({
        parts: [{ kind: 'field', field, fallback }],
        errors: [],
      })
    }),
  )
})

test('marks stand for the fields, one each, and give the text back', () => {
  const text = 'a {{firstName}} b {{company | "x"}}'
  const { marked, fields } = markFields(text)
  expect(marksIn(marked)).toEqual([0, 1])
  expect(marked).toHaveLength('a  b '.length + 4)
  expect(replaceMarks(marked, (index) => fieldTag(fields[index] ?? { field: '', fallback: null }))).toBe(text)
})
