import { beforeAll, describe, expect, test } from 'vitest'
import type { CallInput } from '#tests/support/in-process.ts'
import { setUp, testApp, Visitor } from '#tests/support/in-process.ts'

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
const options = JSON.stringify({ columns: [{ to: 'email' }, { to: 'firstName' }], onKnown: 'update' })
const csv = (file: string, more: Partial<CallInput> = {}): CallInput => ({
  query: { options },
  file,
  ...more,
  headers: { 'content-type': 'text/csv; charset=utf-8', ...more.headers },
})
const codeOf = async (input: CallInput) => {
  const { status, json } = await owner.call('POST', PATH, input)
  return [status, json?.success === false ? json.error.code : undefined]
}

test('a preview says how the file will be read and what its columns probably are, and changes nothing', async () => {
  const file = '\ufeffE-Mail;Vorname;Stadt\r\nann@example.com;Ann;Bonn\r\n"stray"x;B;C\r\n'
  expect(await owner.ask('POST', PATH, csv(file, { query: { preview: 'true' } }))).toEqual({
    preview: {
      encoding: 'utf-8',
      delimiter: ';',
      hasHeader: true,
      headers: ['E-Mail', 'Vorname', 'Stadt'],
      suggestedColumns: [{ to: 'email' }, { to: 'firstName' }, { to: 'custom', name: 'stadt', type: 'text' }],
      rows: [{ line: 2, cells: ['ann@example.com', 'Ann', 'Bonn'] }],
      problems: [{ line: 3, reason: expect.stringContaining('A quote closes') }],
    },
  })
  expect(await owner.ask('GET', '/api/prospects')).toEqual({ prospects: [], nextCursor: null })
})

test('the answer holds the first thousand lines that failed; the rest is fetched page by page', async () => {
  const bad = Array.from({ length: 1_500 }, (_, index) => `nobody ${index},x`)
  const done = await owner.ask<Report>('POST', PATH, csv(`email,name\nann@example.com,Ann\n${bad.join('\n')}\n`))
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
    ['another type', csv('x', { headers: { 'content-type': 'application/json' } }), [415, 'not-csv']],
    ['a form of another site', csv('x', { headers: { origin: 'https://evil.test' } }), [403, 'foreign-origin']],
    ['no file', csv(''), [400, 'no-file']],
    ['no mapping', csv('x', { query: {} }), [400, 'invalid-query']],
    ['a mapping that is no JSON', csv('x', { query: { options: '{' } }), [400, 'invalid-query']],
    [
      'a mapping without an address',
      csv('x', { query: { options: '{"columns":[{"to":"ignore"}],"onKnown":"leave"}' } }),
      [400, 'invalid-query'],
    ],
    ['half a file', csv('email\nann@example.com\n', { headers: { 'content-length': '1000' } }), [400, 'cut-short']],
    ['a file that is too large', csv('x,'.repeat(26 * 1024 * 1024)), [413, 'too-large']],
  ])('%s', async (_, input, expected) => {
    expect(await codeOf(input)).toEqual(expected)
  })
})

test('the answer carries the headers that the proxy sets elsewhere', async () => {
  const { response } = await owner.call('POST', PATH, csv('email\n', { query: { preview: 'true' } }))
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-security-policy')).toContain(`default-src 'self'`)
})

test('nobody who is not signed in gets as far as the file', async () => {
  expect((await new Visitor().call('POST', PATH, csv('x'))).status).toBe(401)
  const { rows } = await app.db.pool.query('SELECT FROM import_jobs')
  expect(rows).toHaveLength(1)
})
