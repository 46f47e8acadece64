import { expect, test } from 'vitest'
import { csvLine } from '#lib/platform/csv.ts'

test('cells with commas, quotes and line breaks are quoted', () => {
  expect(csvLine(['a', 'b,c', 'say "hi"', 'two\nlines', ''])).toBe('a,"b,c","say ""hi""","two\nlines",\r\n')
})

test.each([
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  '\u200b=1',
  '\ufeff＝1',
  '\u3000＝1',
  '﹢1',
  '﹦1',
  '﹣1',
  '﹫a',
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '  =1',
])('%j is no formula any more', (cell) => {
  expect(csvLine([cell])).toBe(`"'${cell}"\r\n`)
})
