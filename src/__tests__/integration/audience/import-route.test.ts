import { beforeAll, describe, expect, test } from 'vitest'
import { importForm } from '#tests/support/data/import-form.ts'
import type { CallInput } from '#tests/support/server/in-process.ts'
import { setUp, testApp, Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor

beforeAll(async () => {
  owner = await setUp()
})

type Report = {
  report: { id: string; lines: number; created: number; rejected: number }
  issues: { line: number; kind: string }[]
  nextCursor: number | null
}

const PATH = '/api/prospects/import'
const options = { columns: [{ to: 'email' }, { to: 'firstName' }], onKnown: 'update' }
const NONE = Symbol('no options')
const form = (file: string | Buffer, more: Partial<CallInput> = {}, asked: unknown = options): CallInput => {
  const { file: body, headers } = importForm(file, asked === NONE ? undefined : asked)
  return { file: body, ...more, headers: { ...headers, ...more.headers } }
}
const preview = (file: string | Buffer, asked: unknown = NONE) =>
  owner.ask<{ preview: Record<string, unknown> }>('POST', PATH, form(file, { query: { preview: 'true' } }, asked))
const codeOf = async (input: CallInput) => {
  const { status, json } = await owner.call('POST', PATH, input)
  return [status, json?.success === false ? json.error.code : undefined]
}

test('a preview says how the file will be read and what its columns probably are, and changes nothing', async () => {
  const file = '\ufeffE-Mail;Vorname;Stadt\r\nann@example.com;Ann;Bonn\r\n"stray;B;C\r\n'
  expect(await preview(file)).toEqual({
    preview: {
      encoding: 'utf-8',
      encodingBy: 'evidence',
      delimiter: ';',
      delimiterBy: 'evidence',
      hasHeader: true,
      headers: ['E-Mail', 'Vorname', 'Stadt'],
      suggestedColumns: [{ to: 'email' }, { to: 'firstName' }, { to: 'custom', name: 'stadt', type: 'text' }],
      rows: [{ line: 2, cells: ['ann@example.com', 'Ann', 'Bonn'] }],
      problems: [{ line: 3, reason: 'A quote opens here and never closes.' }],
      notes: [],
    },
  })
  expect(await owner.ask('GET', '/api/prospects')).toEqual({ prospects: [], nextCursor: null })
})

test('the answer holds the first thousand lines that failed; the rest is fetched page by page', async () => {
  const bad = Array.from({ length: 1_500 }, (_, index) => `nobody ${index},x`)
  const done = await owner.ask<Report>('POST', PATH, form(`email,name\nann@example.com,Ann\n${bad.join('\n')}\n`))
  expect(done.report).toMatchObject({ lines: 1_501, created: 1, rejected: 1_500 })
  expect(done.issues).toHaveLength(1_000)
  expect(done.nextCursor).toBe(1_002)
  const rest = await owner.ask<Report>('GET', `${PATH}/[id]`, {
    params: { id: done.report.id },
    query: { cursor: '1002', limit: '1000', kind: 'rejected' },
  })
  expect(rest.issues.map(({ line }) => line)).toEqual(Array.from({ length: 500 }, (_, index) => 1_003 + index))
  expect(rest.nextCursor).toBeNull()
})

describe('what is no import is refused in words', () => {
  test.each<[string, CallInput, [number, string]]>([
    ['another type', form('x', { headers: { 'content-type': 'text/csv' } }), [415, 'not-a-form']],
    [
      'a form without a boundary',
      form('x', { headers: { 'content-type': 'multipart/form-data' } }),
      [415, 'not-a-form'],
    ],
    [
      'a form with an empty boundary',
      form('x', { headers: { 'content-type': 'multipart/form-data; boundary=' } }),
      [415, 'not-a-form'],
    ],
    ['a form of another site', form('x', { headers: { origin: 'https://evil.test' } }), [403, 'foreign-origin']],
    ['a form without an origin', form('x', { headers: { origin: '', 'sec-fetch-site': '' } }), [403, 'foreign-origin']],
    ['no file', form(''), [400, 'no-file']],
    [
      'a form without a file',
      { ...form('x'), file: new Uint8Array(Buffer.from('------a-boundary--\r\n')) },
      [400, 'no-file'],
    ],
    ['no mapping', form('x', {}, NONE), [400, 'no-options']],
    ['a mapping that is no JSON', form('x', {}, '{'), [400, 'malformed-json']],
    [
      'a mapping without an address',
      form('x', {}, { columns: [{ to: 'ignore' }], onKnown: 'leave' }),
      [400, 'invalid-options'],
    ],
    ['a mapping with a field that nobody knows', form('x', {}, { ...options, again: true }), [400, 'invalid-options']],
    ['an encoding that nobody knows', form('x', {}, { ...options, encoding: 'ebcdic' }), [400, 'invalid-options']],
    ['a delimiter of two signs', form('x', {}, { ...options, delimiter: '||' }), [400, 'invalid-options']],
    ['another part', importForm('x', options, { more: 'x' }), [400, 'invalid-form']],
    [
      'half a file',
      { ...form('x'), file: importForm(`email\n${'ann@example.com\n'.repeat(100)}`).file.slice(0, 900) },
      [400, 'cut-short'],
    ],
    ['a workbook', form(Buffer.from('504b030414000600', 'hex')), [415, 'not-csv']],
    ['a file that is too large', form('x,'.repeat(26 * 1024 * 1024)), [413, 'too-large']],
  ])('%s', async (_, input, expected) => {
    expect(await codeOf(input)).toEqual(expected)
  })
})

test('a thousand columns are looked at and imported by the same limits, and one more by neither', async () => {
  const table = (columns: number) => {
    const names = Array.from({ length: columns - 1 }, (_, index) => `Column ${index}`)
    return `email,${names.join(',')}\nwide${columns}@example.com,${names.join(',')}\n`
  }
  const { suggestedColumns } = (await preview(table(1_000))).preview as { suggestedColumns: { to: string }[] }
  expect(suggestedColumns).toHaveLength(1_000)
  expect(suggestedColumns.filter(({ to }) => to === 'custom')).toHaveLength(50)
  const asked = { columns: suggestedColumns, onKnown: 'leave' }
  const { report } = await owner.ask<Report>('POST', PATH, form(table(1_000), {}, asked))
  expect(report).toMatchObject({ lines: 1, created: 1 })
  const wider = form(table(1_001), { query: { preview: 'true' } }, NONE)
  expect(await codeOf(wider)).toEqual([400, 'too-many-columns'])
  const columns = [...suggestedColumns, { to: 'ignore' }]
  expect(await codeOf(form(table(1_001), {}, { ...asked, columns }))).toEqual([400, 'invalid-options'])
})

test('a preview says how sure it is of the encoding, and reads the one that is chosen', async () => {
  const file = Buffer.from('email;name\nmiko@example.com;Miko\xb3aj\n', 'latin1')
  expect(await preview(file)).toMatchObject({
    preview: {
      encoding: 'windows-1252',
      encodingBy: 'unsure',
      notes: [expect.stringContaining('Choose the encoding')],
    },
  })
  expect(await codeOf(form(file))).toEqual([409, 'encoding-unsure'])
  expect(await preview(file, { encoding: 'iso-8859-2', delimiter: ';' })).toMatchObject({
    preview: {
      ...{ encoding: 'iso-8859-2', encodingBy: 'chosen', delimiterBy: 'chosen', notes: [] },
      rows: [{ line: 2, cells: ['miko@example.com', 'Mikołaj'] }],
    },
  })
})

test('the answer carries the security headers', async () => {
  const { response } = await owner.call('POST', PATH, form('email\n', { query: { preview: 'true' } }, NONE))
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-security-policy')).toContain(`default-src 'none'`)
})

test('nobody who is not signed in gets as far as the file', async () => {
  expect((await new Visitor().call('POST', PATH, form('x'))).status).toBe(401)
  const { rows } = await app.db.pool.query('SELECT FROM import_jobs')
  expect(rows).toHaveLength(2)
})
