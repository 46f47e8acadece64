import { beforeEach, expect, test } from 'vitest'
import { loadReport } from '#lib/audience/import/import-report.ts'
import { loadProspect } from '#lib/audience/list-prospects.ts'
import { createList, loadList } from '#lib/audience/lists.ts'
import { createProspect } from '#lib/audience/prospects/create-prospect.ts'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { addSuppression } from '#lib/audience/suppression/suppressions.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, importFile, makeAudience } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let audience: Audience

beforeEach(async () => {
  audience = await makeAudience(db.pool)
})

const EMAIL_AND_NAME = { columns: [{ to: 'email' }, { to: 'firstName' }] }

const people = async () => {
  const { rows } = await db.pool.query<{ id: string; email: string; name: string | null }>(
    'SELECT id, email, first_name AS name FROM prospects WHERE workspace_id = $1 ORDER BY email',
    [audience.workspaceId],
  )
  return rows
}
const add = (email: string, firstName?: string) =>
  inTransaction(db.pool, async (tx) => {
    const { workspaceId, hash, consequences } = audience
    return (await createProspect(tx, workspaceId, hash, { email, firstName }, consequences)).prospect
  })
const set = (id: string, column: 'unsubscribed_at' | 'archived_at') =>
  db.pool.query(`UPDATE prospects SET ${column} = app_now() WHERE id = $1`, [id])

test.each<[string, Buffer]>([
  ['commas, UTF-8', Buffer.from('email,name\njo@example.com,Jürgen\n')],
  ['a mark at the start', Buffer.from('\ufeffemail,name\r\njo@example.com,Jürgen\r\n')],
  ['semicolons, from Windows', Buffer.from('email;name\r\njo@example.com;J\xfcrgen\r\n', 'latin1')],
  ['tabs, UTF-16', Buffer.from('\ufeffemail\tname\r\njo@example.com\tJürgen\r\n', 'utf16le')],
  ['tabs, UTF-16 the other way round', Buffer.from('\ufeffemail\tname\njo@example.com\tJürgen', 'utf16le').swap16()],
  ['bars', Buffer.from('email|name\njo@example.com|Jürgen')],
  ['quotes', Buffer.from('"email","name"\n"jo@example.com","Jürgen"\n')],
  ['Excel’s first line', Buffer.from('sep=;\r\nemail;name\r\njo@example.com;Jürgen\r\n')],
])('a file with %s is read', async (_, content) => {
  const report = await importFile(db.pool, audience, content, EMAIL_AND_NAME)
  expect(report).toMatchObject({ lines: 1, created: 1, rejected: 0, issues: [] })
  expect(await people()).toMatchObject([{ email: 'jo@example.com', name: 'Jürgen' }])
})

test('every line that adds nobody is told with its number in the file and a reason', async () => {
  await addSuppression(
    db.pool,
    audience.workspaceId,
    audience.hash,
    by('blocked.test'),
    actor,
    audience.consequences.cancelWaiting,
  )
  await addSuppression(
    db.pool,
    audience.workspaceId,
    audience.hash,
    by('Bob@Example.com'),
    actor,
    audience.consequences.cancelWaiting,
  )
  const gone = await add('gone@example.com')
  await set(gone.id, 'unsubscribed_at')
  const [kept, dropped] = [await add('new@example.com'), await add('old@example.com')]
  await inTransaction(db.pool, (tx) =>
    mergeProspects(tx, audience.workspaceId, { winnerId: kept.id, loserId: dropped.id }, actor, audience.consequences),
  )
  const report = await importFile(
    db.pool,
    audience,
    [
      'email,name', // 1
      'ann@example.com,"Ann', // 2
      'of the two lines"', // 3
      '', // 4
      'no address,Nora', // 5
      'ANN@example.com,Again', // 6
      'x@mail.blocked.test,X', // 7
      'bob@example.com,Bob', // 8
      'gone@example.com,Gone', // 9
      'stray@example.com,A "stray" quote', // 10
      'two@example.com;three@example.com,Two', // 11
      'old@example.com,Old', // 12
      'cleo@example.com,Cleo,too much', // 13
      'dora@example.com,Dora', // 14
    ].join('\r\n'),
    EMAIL_AND_NAME,
  )
  expect(report.issues.map(({ line, kind, reason }) => `${line} ${kind}: ${reason}`)).toEqual([
    '5 rejected: An address has an @ between name and domain.',
    '6 duplicate: The same address as in line 2.',
    '7 suppressed: The domain is on the suppression list.',
    '8 suppressed: The address is on the suppression list.',
    '9 unsubscribed: This person has unsubscribed.',
    '11 rejected: Only one address is possible here, without commas or semicolons.',
    '12 merged: The address belongs to a prospect that has another one now.',
    '13 rejected: The line has 3 cells, and there are only 2 columns.',
  ])
  expect(report).toMatchObject({
    ...{ lines: 11, created: 3, updated: 0, revived: 0, unchanged: 1 },
    ...{ duplicates: 1, suppressed: 2, unsubscribed: 1, rejected: 3 },
  })
  expect(await loadProspect(db.pool, audience.workspaceId, gone.id)).toMatchObject({ firstName: null })
})

test('a duplicate is found across batches, and the first line counts', async () => {
  const lines = Array.from({ length: 2_500 }, (_, index) => `p${index % 2_400}@example.com,Name ${index}`)
  const report = await importFile(db.pool, audience, `email,name\n${lines.join('\n')}`, EMAIL_AND_NAME)
  expect(report).toMatchObject({ lines: 2_500, created: 2_400, duplicates: 100 })
  expect(report.issues[0]).toEqual({ line: 2_402, kind: 'duplicate', reason: 'The same address as in line 2.' })
  expect((await people()).find(({ email }) => email === 'p0@example.com')?.name).toBe('Name 0')
  const { rows } = await db.pool.query('SELECT FROM import_addresses')
  expect(rows).toEqual([])
})

test('who is known is filled in or left, as the caller chose; an empty cell takes nothing away', async () => {
  const ann = await add('ann@example.com', 'Ann')
  const left = await importFile(db.pool, audience, 'e,n\nann@example.com,Anna', { ...EMAIL_AND_NAME, onKnown: 'leave' })
  expect(left).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
  expect(await people()).toMatchObject([{ id: ann.id, name: 'Ann' }])
  const updated = await importFile(db.pool, audience, 'e,n\nann@example.com,Anna', EMAIL_AND_NAME)
  expect(updated).toMatchObject({ created: 0, updated: 1, unchanged: 0 })
  await importFile(db.pool, audience, 'e,n\nann@example.com,', EMAIL_AND_NAME)
  expect(await people()).toMatchObject([{ id: ann.id, name: 'Anna' }])
})

test.each(['update', 'leave'] as const)(
  'who was archived or erased comes back under the same id (%s); who had unsubscribed does not',
  async (onKnown) => {
    const [archived, erased, left] = [
      await add('a@example.com'),
      await add('b@example.com'),
      await add('c@example.com'),
    ]
    await set(archived.id, 'archived_at')
    await set(left.id, 'unsubscribed_at')
    for (const { id } of [erased, left])
      await inTransaction(db.pool, (tx) => eraseProspect(tx, audience.workspaceId, id, actor, audience.consequences))
    const report = await importFile(db.pool, audience, 'e,n\nA@example.com,A\nB@example.com,B\nC@example.com,C', {
      ...EMAIL_AND_NAME,
      onKnown,
    })
    expect(report).toMatchObject({ created: 0, revived: 2, updated: 0, unsubscribed: 1 })
    expect(await people()).toEqual([
      { id: archived.id, email: 'a@example.com', name: 'A' },
      { id: erased.id, email: 'b@example.com', name: 'B' },
      { id: left.id, email: null, name: null },
    ])
    const revived = await loadProspect(db.pool, audience.workspaceId, erased.id)
    expect(revived).toMatchObject({ archivedAt: null, erasedAt: null })
    expect((await loadProspect(db.pool, audience.workspaceId, left.id)).unsubscribedAt).toBeInstanceOf(Date)
  },
)

test('everybody in the file joins the list, the known ones too, once', async () => {
  const list = await createList(db.pool, audience.workspaceId, 'Readers')
  await add('ann@example.com')
  const ask = { ...EMAIL_AND_NAME, onKnown: 'leave' as const, listId: list.id }
  await importFile(db.pool, audience, 'e,n\nann@example.com,\nbob@example.com,', ask)
  await importFile(db.pool, audience, 'e,n\nann@example.com,\nbob@example.com,', ask)
  expect((await loadList(db.pool, audience.workspaceId, list.id)).members).toBe(2)
})

test('custom fields are typed, and nobody gets more than fifty', async () => {
  const columns = [{ to: 'email' }, { to: 'custom', name: 'score', type: 'number' }]
  const ann = await add('ann@example.com')
  await db.pool.query(
    `UPDATE prospects SET custom_fields = (SELECT jsonb_object_agg('f' || n, n) FROM generate_series(1, 50) n) WHERE id = $1`,
    [ann.id],
  )
  const report = await importFile(db.pool, audience, 'e,s\nann@example.com,1\nbob@example.com,2\ncy@example.com,two', {
    columns,
  })
  expect(report.issues).toEqual([
    { line: 2, kind: 'rejected', reason: 'A prospect has at most 50 custom fields.' },
    { line: 4, kind: 'rejected', reason: 'Column 2 (score) is not a number like 1234.5.' },
  ])
  expect(report).toMatchObject({ created: 1, unchanged: 0, rejected: 2 })
  const bob = (await people()).find(({ email }) => email === 'bob@example.com')
  expect((await loadProspect(db.pool, audience.workspaceId, bob?.id ?? '')).customFields).toEqual({ score: 2 })
})

test('the same file again is a new answer, and the report before it says that it is old', async () => {
  const content = 'e,n\nann@example.com,Ann\nbob@example.com,Bob\ncy@example.com,Cy\ndora@example.com,Dora'
  const first = await importFile(db.pool, audience, content, EMAIL_AND_NAME)
  expect(first).toMatchObject({ created: 4, isOld: false, notes: [] })
  const [ann, bob, cy] = await people()
  if (!ann || !bob || !cy) throw new Error('they were just imported')
  await set(ann.id, 'archived_at')
  await inTransaction(db.pool, (tx) => eraseProspect(tx, audience.workspaceId, bob.id, actor, audience.consequences))
  await set(cy.id, 'unsubscribed_at')

  const again = await importFile(db.pool, audience, content, EMAIL_AND_NAME)
  expect(again.id).not.toBe(first.id)
  expect(again).toMatchObject({ created: 0, updated: 1, revived: 2, unsubscribed: 1, isOld: false, notes: [] })
  expect(again.issues).toEqual([{ line: 4, kind: 'unsubscribed', reason: 'This person has unsubscribed.' }])
  expect((await people()).map(({ id }) => id)).toEqual(expect.arrayContaining([ann.id, bob.id]))
  expect(await loadReport(db.pool, audience.workspaceId, first.id)).toMatchObject({
    created: 4,
    isOld: true,
    notes: [expect.stringContaining('This report is old')],
  })
  const { rows } = await db.pool.query(
    `SELECT target_id AS id FROM audit_log WHERE workspace_id = $1 AND action = 'prospects.imported' ORDER BY id`,
    [audience.workspaceId],
  )
  expect(rows).toEqual([{ id: first.id }, { id: again.id }])
})

test('two who import the same file at once do each line once between them', async () => {
  const lines = Array.from({ length: 12_000 }, (_, index) => `p${index}@example.com,Name`)
  const content = `e,n\n${lines.join('\n')}`
  const reports = await Promise.all([1, 2, 3].map(() => importFile(db.pool, audience, content, EMAIL_AND_NAME)))
  for (const report of reports)
    expect(report).toMatchObject({ id: reports[0]?.id, lines: 12_000, created: 12_000, updated: 0 })
  expect(await people()).toHaveLength(12_000)
})

test('two files with the same addresses at once add everybody once and block nobody', async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `p${index}@example.com,Name`)
  const [one, two] = await Promise.all([
    importFile(db.pool, audience, `e,n\n${lines.join('\n')}`, EMAIL_AND_NAME),
    importFile(db.pool, audience, `e,n\n${lines.toReversed().join('\n')}`, EMAIL_AND_NAME),
  ])
  expect(one.created + two.created).toBe(5_000)
  expect(one.updated + two.updated).toBe(5_000)
  expect(await people()).toHaveLength(5_000)
})

test('a file of another workspace touches nobody here', async () => {
  const here = audience
  await add('ann@example.com', 'Ann')
  const elsewhere = await makeAudience(db.pool)
  const report = await importFile(db.pool, elsewhere, 'e,n\nann@example.com,Spy', EMAIL_AND_NAME)
  expect(report).toMatchObject({ created: 1 })
  audience = here
  expect(await people()).toMatchObject([{ name: 'Ann' }])
  const list = await createList(db.pool, here.workspaceId, 'Ours')
  await expect(
    importFile(db.pool, elsewhere, 'e,n\nx@example.com,X', { ...EMAIL_AND_NAME, listId: list.id }),
  ).rejects.toMatchObject({ status: 404 })
})

test('one bad byte costs its own line, and no other name is spoilt', async () => {
  const content = Buffer.concat([
    Buffer.from('email,name\njurgen@example.com,Jürgen\n'),
    Buffer.from('rene@example.com,Ren\xe9\n', 'latin1'),
    Buffer.from('zoe@example.com,Zoë\n'),
  ])
  const report = await importFile(db.pool, audience, content, EMAIL_AND_NAME)
  expect(report).toMatchObject({ encoding: 'utf-8', created: 2, rejected: 1, notes: [] })
  expect(report.issues).toEqual([
    { line: 3, kind: 'rejected', reason: 'The line holds bytes that are no text in utf-8, so that a letter is lost.' },
  ])
  expect((await people()).map(({ name }) => name)).toEqual(['Jürgen', 'Zoë'])
})

test('an encoding that cannot be told is asked for, and the one that is chosen is read', async () => {
  const content = Buffer.from('email,name\nmiko@example.com,Miko\xb3aj Wa\xb3\xeasa\n', 'latin1')
  await expect(importFile(db.pool, audience, content, EMAIL_AND_NAME)).rejects.toMatchObject({
    code: 'encoding-unsure',
    details: { encodings: expect.arrayContaining(['iso-8859-2']) },
  })
  expect(await people()).toEqual([])
  const report = await importFile(db.pool, audience, content, { ...EMAIL_AND_NAME, encoding: 'iso-8859-2' })
  expect(report).toMatchObject({ encoding: 'iso-8859-2', created: 1, notes: [] })
  expect((await people()).map(({ name }) => name)).toEqual(['Mikołaj Wałęsa'])
})

test('a guessed encoding is told, and a delimiter can be chosen', async () => {
  const content = Buffer.from('email:name\njo@example.com:J\xfcrgen\n', 'latin1')
  const report = await importFile(db.pool, audience, content, { ...EMAIL_AND_NAME, delimiter: ':' })
  expect(report).toMatchObject({ encoding: 'windows-1252', delimiter: ':', created: 1 })
  expect(report.notes).toEqual([expect.stringContaining('it was read as windows-1252')])
})

test('a first line that holds an address is a person, whatever was said of a header, and it says so', async () => {
  const report = await importFile(db.pool, audience, 'ann@example.com,Ann\nbob@example.com,Bob', {
    ...EMAIL_AND_NAME,
    hasHeader: true,
  })
  expect(report).toMatchObject({ lines: 2, created: 2 })
  expect(report.notes).toEqual([expect.stringContaining('The first line holds an address')])
})

test('a cell that is too long is one rejected record, and nobody comes in by its lines', async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `evil${index}@example.com,Evil`).join('\n')
  const content = `email,name\nann@example.com,"${lines}"\nbob@example.com,Bob`
  const report = await importFile(db.pool, audience, content, EMAIL_AND_NAME)
  expect(report).toMatchObject({ lines: 2, created: 1, rejected: 1 })
  expect(report.issues).toEqual([
    { line: 2, kind: 'rejected', reason: 'The line is longer than 64 thousand characters.' },
  ])
  expect((await people()).map(({ email }) => email)).toEqual(['bob@example.com'])
})

test('ten thousand lines that add nobody are kept with their reasons, and all are counted', async () => {
  const bad = Array.from({ length: 12_500 }, (_, index) => `nobody ${index},x`)
  const report = await importFile(db.pool, audience, `e,n\nann@example.com,Ann\n${bad.join('\n')}`, EMAIL_AND_NAME)
  expect(report).toMatchObject({ lines: 12_501, created: 1, rejected: 12_500, issuesKept: 10_000 })
  expect(report.issues).toHaveLength(10_000)
  expect(report.issues.at(-1)?.line).toBe(10_002)
  expect(report.notes).toEqual([expect.stringContaining('Only the first 10000 lines')])
})

const by = (value: string) => ({ value, source: 'PERSON' as const })
