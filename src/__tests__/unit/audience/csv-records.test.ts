import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectDelimiter, EncodingDetector } from '#lib/audience/csv-format.ts'
import { type CsvRecord, readCsvRecords } from '#lib/audience/csv-records.ts'

async function read(text: string, delimiter = ',', chunkLength = text.length || 1): Promise<CsvRecord[]> {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += chunkLength) chunks.push(text.slice(at, at + chunkLength))
  const records: CsvRecord[] = []
  for await (const record of readCsvRecords(chunks, delimiter)) records.push(record)
  return records
}

const brief = (records: CsvRecord[]) =>
  records.map((record) => [
    record.line,
    'cells' in record ? record.cells : record.problem.split(' ').slice(0, 4).join(' '),
  ])

describe('each record comes with the line it begins on', () => {
  test.each<[string, unknown[]]>([
    [
      'a,b\nc,d',
      [
        [1, ['a', 'b']],
        [2, ['c', 'd']],
      ],
    ],
    [
      'a,b\r\nc,d\r\n',
      [
        [1, ['a', 'b']],
        [2, ['c', 'd']],
      ],
    ],
    [
      'a,b\rc,d\r',
      [
        [1, ['a', 'b']],
        [2, ['c', 'd']],
      ],
    ],
    [
      'a\n\n\r\n,,\n  ,\nb',
      [
        [1, ['a']],
        [6, ['b']],
      ],
    ],
    [
      '"a,1","say ""hi""",""\nb,,',
      [
        [1, ['a,1', 'say "hi"', '']],
        [2, ['b', '', '']],
      ],
    ],
    [
      '"two\nlines",x\n"three\r\nmore\rlines"\nz',
      [
        [1, ['two\nlines', 'x']],
        [3, ['three\r\nmore\rlines']],
        [6, ['z']],
      ],
    ],
    [
      'a"b,c\nd,e',
      [
        [1, 'A quote stands in'],
        [2, ['d', 'e']],
      ],
    ],
    [
      '"a"b,c\nd,e',
      [
        [1, 'A quote closes in'],
        [2, ['d', 'e']],
      ],
    ],
    [
      'x\n"never closed,c\nd,e\nf',
      [
        [1, ['x']],
        [2, 'A quote opens here'],
        [3, ['d', 'e']],
        [4, ['f']],
      ],
    ],
    [
      '"a\nb"c,1\nd',
      [
        [1, 'A quote closes in'],
        [2, 'A quote stands in'],
        [3, ['d']],
      ],
    ],
    ['', []],
    ['\n\n', []],
  ])('%j', async (text, expected) => {
    expect(brief(await read(text))).toEqual(expected)
  })
})

test('where chunks are cut makes no difference', async () => {
  const piece = fc.constantFrom('a', 'bc', ',', '"', '""', '\n', '\r\n', '\r', ' ', 'é', '"x,y"', '"u\nv"')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), async (pieces, length) => {
      const text = pieces.join('')
      expect(await read(text, ',', length)).toEqual(await read(text))
    }),
    { numRuns: 2_000 },
  )
})

test('what was written by the rules is read as it was, on the right lines', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ';', ' ', 'ü') })
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const texts = rows.map((row) => `${row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')}\r\n`)
      let line = 1
      const expected = rows.flatMap((cells, index) => {
        const record = { line, cells }
        line += (texts[index]?.match(/\r\n|\r|\n/g) ?? []).length
        return cells.some((value) => value.trim() !== '') ? [record] : []
      })
      expect(await read(texts.join(''))).toEqual(expected)
    }),
  )
})

test('a line that is far too long is reported once, and does not take the next along', async () => {
  const records = await read(`a\n"${'x'.repeat(300_000)}\nb\n${'y'.repeat(300_000)}\nc`, ',', 10_000)
  const readable = records.filter((record) => 'cells' in record)
  expect(readable.map((record) => [record.line, 'cells' in record && record.cells])).toEqual([
    [1, ['a']],
    [3, ['b']],
    [5, ['c']],
  ])
  expect(records.filter((record) => 'problem' in record).map(({ line }) => line)).toEqual([2, 4])
})

test.each([
  ['email,name\na@b.c,Ann\n', ',', false],
  ['email;name\na@b.c;"Lee, Ann"\nb@b.c;"Ray, Bob"\n', ';', false],
  ['email\tname\na@b.c\tAnn', '\t', false],
  ['email|name|note\na@b.c|Ann|x, y\n', '|', false],
  ['email\na@b.c\n', ',', false],
  ['sep=;\r\nemail;name\r\n', ';', true],
  ['', ',', false],
])('the separator of %j is %j', async (text, delimiter, sepLine) => {
  expect(await detectDelimiter(text)).toEqual({ delimiter, sepLine })
})

test.each([
  ['plain', Buffer.from('ann'), 'utf-8'],
  ['umlauts in UTF-8', Buffer.from('Jürgen'), 'utf-8'],
  ['umlauts from Windows', Buffer.from('J\xfcrgen', 'latin1'), 'windows-1252'],
  ['a mark of UTF-8', Buffer.from('\ufeffann'), 'utf-8'],
  ['a mark of UTF-16', Buffer.from('\ufeffann', 'utf16le'), 'utf-16le'],
  ['a mark of UTF-16, the other way round', Buffer.from('\ufeffann', 'utf16le').swap16(), 'utf-16be'],
  ['half a character at the end', Buffer.from('Jü').subarray(0, 2), 'windows-1252'],
  ['nothing', Buffer.alloc(0), 'utf-8'],
])('%s is told by its bytes, one by one', (_, bytes, encoding) => {
  const detector = new EncodingDetector()
  for (const byte of bytes) detector.look(Uint8Array.of(byte))
  expect(detector.finish()).toBe(encoding)
})
