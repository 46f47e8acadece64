import { beforeAll, expect, test } from 'vitest'
import { importForm } from '#tests/support/data/import-form.ts'
import { setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

/** What is wrong with the options of an import is told as it is of any body: by its place, in words of ours. */
testApp()
let owner: Visitor

beforeAll(async () => {
  owner = await setUp()
})

const columns = [{ to: 'email' }]

async function refusalOf(options: unknown, query: Record<string, string> = {}) {
  const input = { ...importForm('email\nann@example.com\n', options), query }
  const { status, json } = await owner.call('POST', '/api/prospects/import', input)
  if (!json || json.success) throw new Error(`answered ${status}`)
  const { code, message, details } = json.error
  return { status, code, message, fields: (details as { fields?: unknown[] } | undefined)?.fields }
}

test.each<[string, unknown, string, string]>([
  [
    'a misspelt name',
    { columns, onKnwon: 'update', onKnown: 'leave' },
    'onKnwon',
    '`onKnwon` is not known; did you mean `onKnown`?',
  ],
  [
    'a misspelt name in a column',
    { columns: [{ to: 'email' }, { to: 'custom', nane: 'x', name: 'y' }], onKnown: 'leave' },
    'columns.1.nane',
    '`nane` is not known; did you mean `name`?',
  ],
  [
    'a column that goes nowhere',
    { columns: [{ to: 'email' }, { to: 'phone' }], onKnown: 'leave' },
    'columns.1.to',
    'This is one of email, firstName, lastName, company, timeZone, ignore, custom.',
  ],
  ['nothing of what is needed', {}, 'columns', 'This is needed.'],
  [
    'a wish of another kind',
    { columns, onKnown: 'leave', hasHeader: 'yes' },
    'hasHeader',
    'This has to be true or false.',
  ],
  ['an id that is none', { columns, onKnown: 'leave', listId: 'x' }, 'listId', 'This is not an id of ours.'],
  ['a list where an object is needed', [columns], '', 'This has to be an object with named fields.'],
  [
    'more columns than a file has',
    { columns: Array.from({ length: 1_001 }, () => ({ to: 'email' })), onKnown: 'leave' },
    'columns',
    'At most 1000 are possible; these are 1001.',
  ],
])('%s', async (_what, options, path, sentence) => {
  const { status, code, message, fields } = await refusalOf(options)
  expect([status, code]).toEqual([400, 'invalid-options'])
  expect(fields?.[0]).toEqual({ path, message: sentence })
  expect(message).toContain(sentence)
})

test('a preview knows less, and says so in the same words', async () => {
  const { code, fields } = await refusalOf({ onKnown: 'leave', delimitter: ';' }, { preview: 'true' })
  expect(code).toBe('invalid-options')
  expect(fields).toEqual([
    { path: 'onKnown', message: '`onKnown` is not known; what may stand here is encoding, delimiter.' },
    { path: 'delimitter', message: '`delimitter` is not known; did you mean `delimiter`?' },
  ])
})

test.each<[string, string, number, string]>([
  ['no JSON', '{', 400, 'malformed-json'],
  ['a character that no text has', JSON.stringify({ columns, onKnown: 'a\0' }), 400, 'not-text'],
  ['more depth than anything has', '['.repeat(100_000), 413, 'too-many-parts'],
])('options that are %s are refused before they are looked into', async (_what, options, status, code) => {
  const refusal = await refusalOf(options)
  expect([refusal.status, refusal.code]).toEqual([status, code])
  expect(refusal.message).toMatch(/options/)
})
