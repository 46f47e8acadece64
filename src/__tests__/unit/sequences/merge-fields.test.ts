import { describe, expect, test } from 'vitest'
import { fieldsNeeded } from '#lib/sequences/merge-fields.ts'
import { parseTemplate } from '#lib/sequences/template.ts'

describe('a template', () => {
  test('is text, and fields with or without a fallback', () => {
    expect(parseTemplate('Hello {{firstName | "there"}}, of {{ company }}!')).toEqual({
      parts: [
        { kind: 'text', text: 'Hello ' },
        { kind: 'field', field: 'firstName', fallback: 'there' },
        { kind: 'text', text: ', of ' },
        { kind: 'field', field: 'company', fallback: null },
        { kind: 'text', text: '!' },
      ],
      errors: [],
    })
  })

  test('keeps braces, bars and escaped quotes of a fallback as text', () => {
    expect(parseTemplate('{{custom.job-title | "a | \\"b\\" }} {{ c"}}').parts).toEqual([
      { kind: 'field', field: 'custom.job-title', fallback: 'a | "b" }} {{ c' },
    ])
  })

  test.each([
    ['Hi\n {{nick}}', 4, 2, 2, /no field nick/],
    ['{{first_name}}', 0, 1, 1, /Did you mean firstName/],
    ['{{constructor}}', 0, 1, 1, /no field constructor/],
    ['{{custom.}}', 0, 1, 1, /no field custom\./],
    ['{{}}', 0, 1, 1, /empty/],
    ['{{firstName', 0, 1, 1, /not closed/],
    ['{{firstName\n}}', 0, 1, 1, /not closed/],
    ['{{firstName {{company}}', 0, 1, 1, /not closed/],
    ['so }} it goes', 3, 1, 4, /not opened/],
    ['{{firstName | there}}', 0, 1, 1, /straight quotes/],
    ['{{firstName | “there”}}', 0, 1, 1, /straight quotes/],
    ['{{firstName | " "}}', 0, 1, 1, /fallback of firstName is empty/],
    ['{{firstName | "a" | "b"}}', 0, 1, 1, /straight quotes/],
  ])('refuses %j with its place and a sentence', (text, at, line, column, sentence) => {
    const [error] = parseTemplate(text).errors
    expect(error).toEqual({ at, line, column, sentence: expect.stringMatching(sentence) })
  })

  test('tells all its errors at once', () => {
    expect(parseTemplate('{{a}} {{b}} {{firstName}} }}').errors.map(({ at }) => at)).toEqual([0, 6, 26])
  })
})

test('a step needs the fields that stand anywhere without a fallback; the sender always has theirs', () => {
  const step = {
    subject: '{{firstName | "there"}}',
    bodyText: '{{senderName}} {{custom.plan}}',
    bodyHtml: '{{firstName}}',
  }
  expect(fieldsNeeded([step, { ...step, bodyHtml: '{{company}}' }])).toEqual(['company', 'custom.plan', 'firstName'])
})
