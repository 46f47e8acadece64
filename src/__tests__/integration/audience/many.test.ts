import { beforeEach, expect, test } from 'vitest'
import { listCustomFieldNames } from '#lib/audience/custom-field-names.ts'
import { countProspects, listProspects } from '#lib/audience/list-prospects.ts'
import { addMembers, createList } from '#lib/audience/lists.ts'
import type { ProspectFilter } from '#lib/audience/prospect-filter.ts'
import { changeMany, type ManyWanted } from '#lib/audience/prospects/change-many.ts'
import { createProspect, type NewProspect } from '#lib/audience/prospects/create-prospect.ts'
import { exportProspects } from '#lib/audience/prospects/export-prospects.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { changeSegment, createSegment, listSegments } from '#lib/audience/segments.ts'
import { generateTransactionalKey } from '#lib/email-scheduler/idempotency.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, importFile, makeAudience, makeProspects } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let audience: Audience

beforeEach(async () => {
  audience = await makeAudience(db.pool)
})

const add = async (email: string, more: Partial<NewProspect> = {}) => {
  const { workspaceId, hash, consequences } = audience
  const made = await inTransaction(db.pool, (tx) =>
    createProspect(tx, workspaceId, hash, { email, ...more }, consequences),
  )
  return made.prospect.id
}
const find = async (filter: ProspectFilter, workspaceId = audience.workspaceId) =>
  (await listProspects(db.pool, workspaceId, filter, { limit: 100 })).prospects.map(({ email }) => email)
const many = (wanted: ManyWanted, mayContinue = () => true) =>
  changeMany(db.pool, audience.workspaceId, wanted, actor, audience.consequences, mayContinue)
const everybody = { filter: {} }

test('people are found by a field that is set or empty, named or of the workspace’s own', async () => {
  await add('ann@example.com', { company: 'Acme', customFields: { city: 'Bonn' } })
  await add('bob@example.com', { customFields: { city: '' } })
  expect(await find({ has: 'company' })).toEqual(['ann@example.com'])
  expect(await find({ lacks: 'company' })).toEqual(['bob@example.com'])
  expect(await find({ has: 'city' })).toEqual(['ann@example.com'])
  expect(await find({ lacks: 'city' })).toEqual(['bob@example.com'])
  expect(await find({ has: 'company', lacks: 'city' })).toEqual([])
  expect(await countProspects(db.pool, audience.workspaceId, { has: 'city' })).toBe(1)
})

test('a field may have any name, also one that every object of the language knows', async () => {
  await add('ann@example.com', { customFields: { constructor: 'Eiffel' } })
  await add('bob@example.com')
  expect(await find({ has: 'constructor' })).toEqual(['ann@example.com'])
  expect(await find({ lacks: 'constructor' })).toEqual(['bob@example.com'])
  expect(await find({ has: 'toString' })).toEqual([])
  const lines: string[] = []
  for await (const line of exportProspects(db.pool, audience.workspaceId, everybody)) lines.push(line)
  expect(lines.join('')).toContain('Eiffel')
  expect(lines.join('')).not.toContain('native code')
})

test('who was contacted is known of all who were merged into one, and an email that only waits is no contact', async () => {
  const { emails, workspaceId } = await makeDueCampaign(db.pool, { prospects: 3 })
  const [sent, waiting] = emails
  const ofEmail = async (id = '') => {
    const { rows } = await db.pool.query<{ id: string; email: string }>(
      `SELECT p.id, p.email FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id WHERE e.id = $1`,
      [id],
    )
    return rows[0] ?? { id: '', email: '' }
  }
  const [contacted, other] = [await ofEmail(sent?.id), await ofEmail(waiting?.id)]
  // To nobody's page of people: it must hide none of them.
  const transactional = newId()
  await db.pool.query(
    `INSERT INTO scheduled_emails (id, workspace_id, kind, mailbox_id, idempotency_key, scheduled_for, local_date, ready_at, updated_at)
     SELECT $1, workspace_id, 'TRANSACTIONAL', mailbox_id, $2, app_now(), '2026-01-01', app_now(), app_now()
     FROM scheduled_emails WHERE id = $3`,
    [transactional, generateTransactionalKey(workspaceId, transactional), sent?.id],
  )
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, lease_until = app_now(), leased_by = 'w', leased_at = app_now(),
       marked_token = 1, submit_started_at = app_now() WHERE id = ANY($1)`,
    [[sent?.id, transactional]],
  )
  expect(await find({ contacted: 'yes' }, workspaceId)).toEqual([contacted.email])
  expect(await find({ contacted: 'no' }, workspaceId)).toHaveLength(2)
  expect(await countProspects(db.pool, workspaceId, { contacted: 'yes' })).toBe(1)
  expect(await countProspects(db.pool, workspaceId, { contacted: 'no' })).toBe(2)
  await inTransaction(db.pool, (tx) =>
    mergeProspects(tx, workspaceId, { winnerId: other.id, loserId: contacted.id }, actor, audience.consequences),
  )
  expect(await find({ contacted: 'yes' }, workspaceId)).toEqual([other.email])
})

test('a page that is read again in its bounds holds what is left of it, and nobody new', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await add(`${name}@example.com`)
  const first = await listProspects(db.pool, audience.workspaceId, {}, { limit: 2 })
  const second = await listProspects(db.pool, audience.workspaceId, {}, { cursor: first.nextCursor ?? '', limit: 2 })
  await many({ action: 'archive', whom: { prospectIds: [second.prospects[0]?.id ?? ''] } })
  await add('e@example.com')
  const again = await listProspects(
    db.pool,
    audience.workspaceId,
    {},
    { cursor: first.nextCursor ?? '', untilId: second.prospects[1]?.id, limit: 200 },
  )
  expect(again.prospects.map(({ email }) => email)).toEqual(['a@example.com'])
})

test('pausing all who match goes on where time ran out, and the undo resumes those and no others', async () => {
  await makeProspects(db.pool, audience.workspaceId, 1_200)
  const before = await add('paused-before@example.com')
  await many({ action: 'pause', whom: { prospectIds: [before] } })
  const first = await many({ action: 'pause', whom: everybody }, () => false)
  expect(first.changed).toBe(500)
  let next = first
  let changed = first.changed
  while (next.nextCursor) {
    next = await many({ action: 'pause', whom: everybody, cursor: next.nextCursor, at: first.at }, () => false)
    changed += next.changed
  }
  expect(changed).toBe(1_200)
  expect(await many({ action: 'pause', whom: everybody })).toMatchObject({ changed: 0 })
  expect(await many({ action: 'resume', whom: everybody, doneAt: first.at })).toMatchObject({ changed: 1_200 })
  expect(await find({ state: 'paused' })).toEqual(['paused-before@example.com'])
})

test.each(['0000-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])(
  'what is done is done now, and not at %s',
  async (at) => {
    await add('ann@example.com')
    await expect(many({ action: 'archive', whom: everybody, at: new Date(at) })).rejects.toMatchObject({ status: 400 })
    expect(await find({})).toEqual(['ann@example.com'])
  },
)

test('all who match means those who were there when it was said', async () => {
  await add('first@example.com')
  const last = await add('last@example.com')
  await add('later@example.com')
  expect(await many({ action: 'pause', whom: { filter: {}, upToId: last } })).toMatchObject({ changed: 2 })
  expect(await find({ state: 'active' })).toEqual(['later@example.com'])
})

test('a list takes many in, and the undo leaves those who were in it before', async () => {
  const [ann, bob] = [await add('ann@example.com'), await add('bob@example.com')]
  const { id: listId } = await createList(db.pool, audience.workspaceId, 'Readers')
  await addMembers(db.pool, audience.workspaceId, listId, [ann])
  await db.pool.query(`UPDATE list_members SET added_at = added_at - interval '1 day'`)
  const done = await many({ action: 'add-to-list', listId, whom: { prospectIds: [ann, bob, bob] } })
  expect(done).toMatchObject({ changed: 1, nextCursor: null })
  await many({ action: 'remove-from-list', listId, whom: everybody, doneAt: done.at })
  expect(await find({ listId })).toEqual(['ann@example.com'])
})

test('people and lists of another workspace are nobody and nowhere', async () => {
  const stranger = await makeAudience(db.pool)
  const [theirs] = await makeProspects(db.pool, stranger.workspaceId, 1)
  const { id: listId } = await createList(db.pool, stranger.workspaceId, 'Theirs')
  expect(await many({ action: 'pause', whom: { prospectIds: [theirs ?? ''] } })).toMatchObject({ changed: 0 })
  const ours = await add('ann@example.com')
  await expect(many({ action: 'add-to-list', listId, whom: { prospectIds: [ours] } })).rejects.toMatchObject({
    status: 404,
  })
})

test('archiving cancels what waits, says how much, and stands in the audit log once', async () => {
  const { workspaceId } = await makeDueCampaign(db.pool, { prospects: 3 })
  const done = await changeMany(
    db.pool,
    workspaceId,
    { action: 'archive', whom: everybody },
    actor,
    { ...audience.consequences, cancelWaiting: async () => 2 },
    () => true,
  )
  expect(done).toMatchObject({ changed: 3, cancelledEmails: 6 })
  const { rows } = await db.pool.query('SELECT action, details FROM audit_log WHERE workspace_id = $1', [workspaceId])
  expect(rows).toEqual([
    { action: 'prospects.changed', details: { action: 'archive', changed: 3, cancelledEmails: 6 } },
  ])
})

test('the export holds every field of the workspace, and no formula that a spreadsheet would run', async () => {
  await add('ann@example.com', { company: '=HYPERLINK("x")', customFields: { city: 'Bonn' } })
  const lines: string[] = []
  for await (const line of exportProspects(db.pool, audience.workspaceId, { filter: { has: 'city' } })) lines.push(line)
  const [head, ann] = lines.join('').split('\r\n')
  expect(head).toBe('\uFEFFEmail,First name,Last name,Company,Time zone,city,State,Added')
  expect(ann).toContain(`ann@example.com,,,"'=HYPERLINK(""x"")",,Bonn,active,`)
})

test('the names of fields are kept, whoever brings them in and at the same time', async () => {
  await add('ann@example.com', { customFields: { city: 'Bonn' } })
  const file = (n: number) => `email,b,a\nperson${n}@example.com,1,2\n`
  const columns = [{ to: 'email' }, { to: 'custom', name: 'b' }, { to: 'custom', name: 'a' }]
  await Promise.all([1, 2, 3].map((n) => importFile(db.pool, audience, file(n), { columns })))
  expect(await listCustomFieldNames(db.pool, audience.workspaceId)).toEqual(['a', 'b', 'city'])
})

test('an import that fills leaves what is known, and each number of its report leads to its people', async () => {
  await add('known@example.com', { firstName: 'Kate', customFields: { city: 'Bonn' } })
  const file = 'email,first,company,city,zip\nknown@example.com,Other,Acme,Köln,1\nnew@example.com,New,,,\n'
  const columns = [
    { to: 'email' },
    { to: 'firstName' },
    { to: 'company' },
    { to: 'custom', name: 'city' },
    { to: 'custom', name: 'zip' },
  ]
  const report = await importFile(db.pool, audience, file, { columns, onKnown: 'fill' })
  expect(report).toMatchObject({ created: 1, updated: 1, totalLines: 2, lines: 2 })
  const { prospects } = await listProspects(
    db.pool,
    audience.workspaceId,
    { importId: report.id, outcome: 'updated' },
    { limit: 5 },
  )
  expect(prospects).toMatchObject([
    { email: 'known@example.com', firstName: 'Kate', company: 'Acme', customFields: { city: 'Bonn', zip: '1' } },
  ])
  expect(await find({ importId: report.id, outcome: 'created' })).toEqual(['new@example.com'])
  expect(await countProspects(db.pool, audience.workspaceId, { importId: report.id })).toBe(2)
})

test('a segment has a name of its own and at least one condition, and comes back from the archive', async () => {
  const create = (name: string, filter: ProspectFilter) =>
    createSegment(db.pool, audience.workspaceId, { name, filter })
  const change = (id: string, wanted: Parameters<typeof changeSegment>[3], workspaceId = audience.workspaceId) =>
    inTransaction(db.pool, (tx) => changeSegment(tx, workspaceId, id, wanted, actor))
  await expect(create('Everybody', {})).rejects.toMatchObject({ status: 400 })
  const made = await create('New', { contacted: 'no' })
  await expect(create('new', { contacted: 'no' })).rejects.toMatchObject({ status: 409, code: 'name-taken' })
  await change(made.id, { archived: true })
  expect(await listSegments(db.pool, audience.workspaceId)).toEqual([])
  const second = await create('New', { lacks: 'company' })
  await expect(change(made.id, { archived: false })).rejects.toMatchObject({ code: 'name-taken' })
  await change(second.id, { name: 'Without a company' })
  await change(made.id, { archived: false })
  const names = (await listSegments(db.pool, audience.workspaceId)).map(({ name }) => name)
  expect(names).toEqual(['New', 'Without a company'])
  const stranger = await makeAudience(db.pool)
  await expect(change(made.id, { name: 'Mine' }, stranger.workspaceId)).rejects.toMatchObject({ status: 404 })
})
