import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { delimiterSchema, detectDelimiter } from '#lib/audience/import/csv-format.ts'
import { type CsvRecord, readCsvRecords } from '#lib/audience/import/csv-records.ts'
import { EncodingEvidence } from '#lib/audience/import/encoding.ts'
import { TextFile } from '#lib/audience/import/text-file.ts'

async function read(text: string, delimiter = ',', chunkLength = text.length || 1): Promise<CsvRecord[]> {
  const open = (from: number) => {
    const chunks: string[] = []
    for (let at = from; at < text.length; at += chunkLength) chunks.push(text.slice(at, at + chunkLength))
    return chunks
  }
  const records: CsvRecord[] = []
  for await (const record of readCsvRecords(open, delimiter)) records.push(record)
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
        [1, ['a"b', 'c']],
        [2, ['d', 'e']],
      ],
    ],
    [
      '"a"b,c\nd,e',
      [
        [1, ['ab', 'c']],
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
        [2, ['b"c', '1']],
        [3, ['d']],
      ],
    ],
    [
      '6" pipes,"Acme" Inc,"a" "b"\nc',
      [
        [1, ['6" pipes', 'Acme Inc', 'a "b"']],
        [2, ['c']],
      ],
    ],
    ['"say \\"hi\\"",x', [[1, ['say "hi"', 'x']]]],
    ['"C:\\",x,"C:\\dir\\" ,y', [[1, ['C:\\', 'x', 'C:\\dir\\', 'y']]]],
    [
      'a,  "b, c"  ,d\n  "e"',
      [
        [1, ['a', 'b, c', 'd']],
        [2, ['e']],
      ],
    ],
    [
      'a, 5" nail\nb',
      [
        [1, ['a', ' 5" nail']],
        [2, ['b']],
      ],
    ],
    [
      'a, "tall\nb',
      [
        [1, ['a', ' "tall']],
        [2, ['b']],
      ],
    ],
    ['', []],
    ['\n\n', []],
  ])('%j', async (text, expected) => {
    expect(brief(await read(text))).toEqual(expected)
  })
})

test('where chunks are cut makes no difference', async () => {
  const piece = fc.constantFrom('a', 'bc', ',', '"', '""', '\n', '\r\n', '\r', ' ', '\\', 'é', '"x,y"', '"u\nv"')
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

test('a cell that is too long is one bad record, and its lines are nobody’s', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `evil${index}@example.com,Evil ""${index}""`).join('\r\n')
  for (const chunkLength of [1_000, 64_000, 10_000_000]) {
    const records = await read(`a@b.c,x\n"${lines}",y,"z\nz"\nd@e.f,w`, ',', chunkLength)
    expect(records.map((record) => [record.line, 'cells' in record ? record.cells : record.problem])).toEqual([
      [1, ['a@b.c', 'x']],
      [2, 'The line is longer than 64 thousand characters.'],
      [20_003, ['d@e.f', 'w']],
    ])
  }
})

test('no sign that may cut cells makes a file be read more than a few times', async () => {
  const signs = Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code))
  const delimiters = signs.filter((sign) => delimiterSchema.safeParse(sign).success)
  expect(delimiters).toEqual(expect.arrayContaining([',', ';', '\t', '|', '^']))
  for (const delimiter of delimiters) {
    const text = `${delimiter}"a\n`.repeat(30_000)
    let taken = 0
    const open = function* (from: number) {
      for (let at = from; at < text.length; at += 10_000) {
        const chunk = text.slice(at, at + 10_000)
        taken += chunk.length
        if (taken > text.length * 3) throw new Error(`cut by ${delimiter}, the file is read again and again`)
        yield chunk
      }
    }
    let last = 0
    for await (const { line } of readCsvRecords(open, delimiter)) last = line
    expect(last).toBeGreaterThan(29_990)
  }
})

test.each([
  ['Łukasz', 'iso8859-2', [0xa3]],
  ['Żaneta', 'windows-1250', [0xaf]],
  ['Ľubica', 'windows-1250', [0xbc]],
])('a file whose only letter above ASCII begins a name (%s, %s) is no western one', (name, _encoding, bytes) => {
  const evidence = new EncodingEvidence()
  evidence.look(
    Buffer.concat([Buffer.from('Email,Name\na@example.com,'), Buffer.from(bytes), Buffer.from(name.slice(1))]),
  )
  expect(evidence.finish().kind).toBe('unsure')
})

test('pounds, fractions and quotes beside numbers and names are western all the same', () => {
  const evidence = new EncodingEvidence()
  const text = 'Email,Note\na@example.com,£5 and ½ of it\nb@example.com,«Zoé» ¿Qué?\n'
  evidence.look(Buffer.from(text, 'latin1'))
  expect(evidence.finish()).toEqual({ kind: 'guess', encoding: 'windows-1252' })
})

test('a backslash cuts no cells, since before a quote it says something else', async () => {
  expect(delimiterSchema.safeParse('\\').success).toBe(false)
  const { delimiter, isNamed } = await detectDelimiter('sep=\\\nEmail,Name\nada@example.com,Ada\n')
  expect([delimiter, isNamed]).toEqual([',', false])
})

test('a quote that never closes costs one line, however far away the next one is', async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `p${index}@example.com,Name of a person`)
  for (const end of ['', '\nlast@example.com,"Last, of all"']) {
    const records = await read(`"a@b.c,x\n${lines.join('\n')}${end}`, ',', 10_000)
    expect(records.filter((record) => 'problem' in record)).toEqual([
      { line: 1, problem: 'A quote opens here and never closes.' },
    ])
    expect(records).toHaveLength(5_001 + (end === '' ? 0 : 1))
  }
})

test.each([
  ['email,name\na@b.c,Ann\n', ',', false, 1],
  ['email;name\na@b.c;"Lee, Ann"\nb@b.c;"Ray, Bob"\n', ';', false, 1],
  ['email\tname\na@b.c\tAnn', '\t', false, 1],
  ['email|name|note\na@b.c|Ann|x, y\n', '|', false, 1],
  ['email\na@b.c\n', ',', false, 1],
  ['sep=;\r\nemail;name\r\n', ';', true, 2],
  ['SEP=,\nemail;name\n', ',', true, 2],
  ['"sep=;"\r\nemail;name\r\n', ';', true, 2],
  ['sep=;;;\nemail;name\n', ';', true, 2],
  ['sep=\t\nemail\tname\n', '\t', true, 2],
  ['sep=\\t\nemail\tname\n', '\t', true, 2],
  ['sep=^\remail^name\r', '^', true, 2],
  ['sep=a\nemail,name\n', ',', false, 1],
  ['', ',', false, 1],
])('the separator of %j is %j', async (text, delimiter, isNamed, line) => {
  expect(await detectDelimiter(text)).toMatchObject({ delimiter, isNamed, start: { line } })
})

const latin = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const WORDS = 'email,name\njurgen@example.com,Jürgen Möller\n'

test.each<[string, Buffer, string, string]>([
  ['plain', Buffer.from('ann'), 'known', 'utf-8'],
  ['umlauts in UTF-8', Buffer.from('Jürgen'), 'known', 'utf-8'],
  ['umlauts from Windows', latin('J\xfcrgen'), 'guess', 'windows-1252'],
  ['an apostrophe from Windows', latin('O\x92Neill, Ren\xe9e'), 'guess', 'windows-1252'],
  ['one bad byte in UTF-8', Buffer.concat([Buffer.from(WORDS), latin('J\xfcrgen\n')]), 'known', 'utf-8'],
  ['as many bad bytes as good ones', Buffer.concat([Buffer.from('ü'), latin('J\xfcrgen\n')]), 'unsure', 'windows-1252'],
  ['Polish in latin-2', latin('Wa\xb3\xeasa, Miko\xb3aj, \xa3\xf3d\xbc'), 'unsure', 'windows-1252'],
  ['Czech from Windows', latin('Dvo\xf8\xe1k, N\xecmec, Toma\x9a'), 'unsure', 'windows-1252'],
  ['Cyrillic from Windows', latin('\xc8\xe2\xe0\xed \xcf\xe5\xf2\xf0\xee\xe2'), 'unsure', 'windows-1252'],
  ['Greek from Windows', latin('\xc3\xe9\xfe\xf1\xe3\xef\xf2'), 'unsure', 'windows-1252'],
  ['Japanese', Buffer.from('93fa967b8cea', 'hex'), 'unsure', 'windows-1252'],
  ['a mark of UTF-8', Buffer.from('\ufeffann'), 'known', 'utf-8'],
  ['a mark of UTF-16', utf16('\ufeffann'), 'known', 'utf-16le'],
  ['a mark of UTF-16, the other way round', utf16('\ufeffann').swap16(), 'known', 'utf-16be'],
  ['UTF-16 without a mark', utf16(WORDS), 'known', 'utf-16le'],
  ['UTF-16 without a mark, the other way round', utf16(WORDS).swap16(), 'known', 'utf-16be'],
  ['half a character at the end', Buffer.from('Jüü').subarray(0, 4), 'unsure', 'windows-1252'],
  ['nothing', Buffer.alloc(0), 'known', 'utf-8'],
])('%s is told by its bytes, one by one', (_, bytes, kind, encoding) => {
  const evidence = new EncodingEvidence()
  for (const byte of bytes) evidence.look(Uint8Array.of(byte))
  expect(evidence.finish()).toEqual({ kind, encoding })
  const atOnce = new EncodingEvidence()
  atOnce.look(bytes)
  expect(atOnce.finish()).toEqual({ kind, encoding })
})

test.each([
  ['UTF-32', Buffer.from('6100000062000000', 'hex'), /UTF-32/],
  ['UTF-32 with a mark', Buffer.from('fffe000061000000', 'hex'), /UTF-32/],
  ['an Excel workbook', Buffer.from('504b030414000600', 'hex'), /Excel workbook/],
  ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old Excel workbook/],
  ['a compressed file', Buffer.from('1f8b0800', 'hex'), /compressed/],
])('%s is no text, and what to do is said', (_, bytes, sentence) => {
  const evidence = new EncodingEvidence()
  evidence.look(bytes)
  expect(evidence.finish()).toEqual({ kind: 'no-text', sentence: expect.stringMatching(sentence) })
})

test('a text is the same from whatever character it is read, in every encoding', async () => {
  for (const [encoding, bytes] of [
    ['utf-8', Buffer.from(`\ufeff${'aü€😀'.repeat(40_000)}`)],
    ['utf-16le', utf16(`\ufeff${'aü€😀'.repeat(40_000)}`)],
    ['utf-16be', utf16(`\ufeff${'aü€😀'.repeat(40_000)}`).swap16()],
  ] as const) {
    const file = new TextFile((buffer, position) => Promise.resolve(bytes.copy(buffer, 0, position)), encoding)
    const all = async (from: number) => {
      let text = ''
      for await (const piece of file.from(from)) text += piece
      return text
    }
    const whole = await all(0)
    expect(whole).toBe('aü€😀'.repeat(40_000))
    for (const from of [1, 65_535, 65_536, 100_003, 199_999, 200_000]) expect(await all(from)).toBe(whole.slice(from))
  }
})
