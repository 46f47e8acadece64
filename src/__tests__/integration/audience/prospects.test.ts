import { beforeEach, expect, test } from 'vitest'
import { addressHasher } from '#lib/audience/address-hash.ts'
import { listProspects, listsOf, loadProspect } from '#lib/audience/list-prospects.ts'
import { addMembers, changeList, createList, loadList } from '#lib/audience/lists.ts'
import { changeProspect, type ProspectChange } from '#lib/audience/prospects/change-prospect.ts'
import { createProspect, type NewProspect } from '#lib/audience/prospects/create-prospect.ts'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { exportProspect } from '#lib/audience/prospects/export-prospect.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { suppressedAmong, suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { addSuppression, listSuppressions, removeSuppression } from '#lib/audience/suppression/suppressions.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { rotateCredentials } from '#lib/tenancy/credentials/rotate-credentials.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeKey, makeKeyring } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, audienceOf, importFile, makeAudience } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let audience: Audience

beforeEach(async () => {
  audience = await makeAudience(db.pool)
})

const tx = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(db.pool, work)
const create = (wanted: NewProspect) =>
  tx((client) => createProspect(client, audience.workspaceId, audience.hash, wanted, audience.consequences))
const add = async (email: string, more: Partial<NewProspect> = {}) => (await create({ email, ...more })).prospect
const change = (id: string, wanted: ProspectChange) =>
  tx((client) => changeProspect(client, audience.workspaceId, audience.hash, id, wanted, actor, audience.consequences))
const merge = (winnerId: string, loserId: string) =>
  tx((client) => mergeProspects(client, audience.workspaceId, { winnerId, loserId }, actor, audience.consequences))
const erase = (id: string) =>
  tx((client) => eraseProspect(client, audience.workspaceId, id, actor, audience.consequences))
const load = (id: string) => loadProspect(db.pool, audience.workspaceId, id)
const suppress = (value: string) =>
  addSuppression(
    db.pool,
    audience.workspaceId,
    audience.hash,
    { value, source: 'PERSON' },
    actor,
    audience.consequences.cancelWaiting,
  )

test('an address has the same hash after the keys were rotated and the old one is gone', async () => {
  const [first, second] = [makeKey('k1'), makeKey('k2')]
  const { workspaceId, hash } = await makeAudience(db.pool, first)
  await rotateCredentials(db.pool, makeKeyring(second, first))
  const later = await addressHasher(db.pool, makeKeyring(second), workspaceId)
  expect(later('ann@example.com')).toEqual(hash('ann@example.com'))
  expect(hash('ann@example.com')).not.toEqual(audience.hash('ann@example.com'))
})

test('first calls at once make one key', async () => {
  const key = makeKey('test')
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO workspaces (id, name) VALUES (gen_random_uuid(), 'A') RETURNING id`,
  )
  const hashers = await Promise.all(Array.from({ length: 8 }, () => audienceOf(db.pool, rows[0]?.id ?? '', key)))
  expect(new Set(hashers.map(({ hash }) => hash('ann@example.com').toString('hex'))).size).toBe(1)
})

test('one person for each address, however it is written', async () => {
  const { id } = await add('Ann@Müller.de', { firstName: 'Ann' })
  await expect(add(' ann@XN--MLLER-KVA.de ')).rejects.toMatchObject({
    status: 409,
    code: 'known',
    details: { prospectId: id },
  })
  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => add('bob@example.com')))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('an address is corrected, but never into another person’s', async () => {
  const [ann, bob] = [await add('ann@exmaple.com'), await add('bob@example.com')]
  await db.pool.query('UPDATE prospects SET bounced_at = app_now() WHERE id = $1', [ann.id])
  expect(await change(ann.id, { email: 'Ann@Example.com' })).toMatchObject({
    email: 'ann@example.com',
    bouncedAt: null,
  })
  await expect(change(ann.id, { email: 'bob@example.com' })).rejects.toMatchObject({
    code: 'known',
    details: { prospectId: bob.id },
  })
  await change(bob.id, { unsubscribed: true })
  await expect(change(bob.id, { email: 'bobby@example.com' })).rejects.toMatchObject({ code: 'unsubscribed' })
})

test('fields are changed one by one; null takes one away', async () => {
  const { id } = await add('ann@example.com', { company: 'Acme', customFields: { city: 'Bonn', score: 3 } })
  expect(
    await change(id, { firstName: 'Ann', company: null, customFields: { city: null, vip: true }, paused: true }),
  ).toMatchObject({
    firstName: 'Ann',
    company: null,
    customFields: { score: 3, vip: true },
    pausedAt: expect.any(Date),
  })
  expect(await change(id, { paused: false })).toMatchObject({ firstName: 'Ann', pausedAt: null })
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, index]))
  await expect(change(id, { customFields: many })).rejects.toMatchObject({ status: 400 })
})

test('prospects are found by state, list and words, page by page', async () => {
  const made = []
  for (const name of ['ann', 'bob', 'cy', 'dee', 'eve'])
    made.push(await add(`${name}@example.com`, { lastName: `Lee ${name}` }))
  const [ann, bob, cy, dee, eve] = made.map(({ id }) => id)
  const list = await createList(db.pool, audience.workspaceId, 'Readers')
  expect(
    await tx((client) => addMembers(client, audience.workspaceId, list.id, [ann ?? '', bob ?? '', cy ?? ''])),
  ).toBe(3)
  await change(bob ?? '', { archived: true })
  await change(cy ?? '', { paused: true })
  await merge(dee ?? '', eve ?? '')
  const find = async (filter: Parameters<typeof listProspects>[2], limit = 10, cursor?: string) => {
    const page = await listProspects(db.pool, audience.workspaceId, filter, { limit, cursor })
    return { ids: page.prospects.map(({ id }) => id), nextCursor: page.nextCursor }
  }
  expect((await find({})).ids).toEqual([dee, cy, ann])
  expect((await find({ state: 'active' })).ids).toEqual([dee, ann])
  expect((await find({ state: 'paused' })).ids).toEqual([cy])
  expect((await find({ state: 'archived' })).ids).toEqual([bob])
  expect((await find({ listId: list.id })).ids).toEqual([cy, ann])
  expect((await find({ search: 'LEE A' })).ids).toEqual([ann])
  expect((await find({ search: '%' })).ids).toEqual([])
  const first = await find({}, 2)
  expect(first).toEqual({ ids: [dee, cy], nextCursor: cy })
  expect(await find({}, 2, cy)).toEqual({ ids: [ann], nextCursor: null })
})

test('a name of a list is taken once, until it is archived', async () => {
  const list = await createList(db.pool, audience.workspaceId, 'Readers')
  await expect(createList(db.pool, audience.workspaceId, 'READERS')).rejects.toMatchObject({ code: 'name-taken' })
  await tx((client) => changeList(client, audience.workspaceId, list.id, { archived: true }, actor))
  await createList(db.pool, audience.workspaceId, 'readers')
  await expect(
    tx((client) => changeList(client, audience.workspaceId, list.id, { archived: false }, actor)),
  ).rejects.toMatchObject({ code: 'name-taken' })
})

test('asked by prospect, the list answers the same as asked by address', async () => {
  const addresses = ['x@example.com', 'x@a.b.example.com', 'x@notexample.com', 'ann@other.org', 'bob@other.org']
  const ids = new Map<string, string>()
  for (const address of addresses) ids.set((await add(address)).id, address)
  for (const value of ['example.com', 'ann@other.org', 'x@example.com']) await suppress(value)
  const byAddress = await suppressedAmong(db.pool, audience.workspaceId, audience.hash, addresses)
  const byProspect = await suppressedProspects(db.pool, audience.workspaceId, [...ids.keys()])
  expect(new Map([...byProspect].map(([id, kind]) => [ids.get(id), kind]))).toEqual(byAddress)
  expect(byAddress.size).toBe(3)
  const elsewhere = await makeAudience(db.pool)
  expect(await suppressedProspects(db.pool, elsewhere.workspaceId, [...ids.keys()])).toEqual(new Map())
  const [ann = ''] = [...ids].flatMap(([id, address]) => (address === 'ann@other.org' ? [id] : []))
  await erase(ann)
  expect(await suppressedProspects(db.pool, audience.workspaceId, [ann])).toEqual(new Map([[ann, 'ADDRESS']]))
})

test('a domain suppresses its subdomains and nobody else; many addresses are looked up at once', async () => {
  await suppress('@Example.com')
  await suppress('ann@other.org')
  await expect(suppress('not a domain')).rejects.toMatchObject({
    status: 400,
    details: { fields: [{ path: 'value' }] },
  })
  expect(await suppress('EXAMPLE.com')).toMatchObject({ added: false, suppression: { value: 'example.com' } })
  const addresses = [
    'x@example.com',
    'x@a.b.example.com',
    'x@notexample.com',
    'x@com.org',
    'ann@other.org',
    'bob@other.org',
  ]
  const found = await suppressedAmong(db.pool, audience.workspaceId, audience.hash, addresses)
  expect([...found]).toEqual([
    ['x@example.com', 'DOMAIN'],
    ['x@a.b.example.com', 'DOMAIN'],
    ['ann@other.org', 'ADDRESS'],
  ])
  const elsewhere = await makeAudience(db.pool)
  expect(await suppressedAmong(db.pool, elsewhere.workspaceId, elsewhere.hash, addresses)).toEqual(new Map())
  await expect(add('new@mail.example.com')).rejects.toMatchObject({ code: 'suppressed' })
  const page = await listSuppressions(db.pool, audience.workspaceId, { kind: 'ADDRESS' }, { limit: 10 })
  expect(page.suppressions).toMatchObject([{ value: 'ann@other.org', source: 'PERSON', createdByEmail: actor.email }])
  const id = page.suppressions[0]?.id ?? ''
  await expect(tx((client) => removeSuppression(client, elsewhere.workspaceId, id, actor))).rejects.toMatchObject({
    status: 404,
  })
  await tx((client) => removeSuppression(client, audience.workspaceId, id, actor))
  await add('ann@other.org')
})

test.each(['UNSUBSCRIBE', 'COMPLAINT'] as const)(
  'what a reader asked for (%s) is taken back by nobody here',
  async (source) => {
    const { suppression } = await suppress('reader@other.org')
    await db.pool.query('UPDATE suppressions SET source = $2 WHERE id = $1', [suppression.id, source])
    await expect(
      tx((client) => removeSuppression(client, audience.workspaceId, suppression.id, actor)),
    ).rejects.toMatchObject({ status: 409, code: 'asked-for-by-reader' })
    expect(await suppressedAmong(db.pool, audience.workspaceId, audience.hash, ['reader@other.org'])).toEqual(
      new Map([['reader@other.org', 'ADDRESS']]),
    )
  },
)

/** Two people with two steps waiting each, in a campaign of a workspace of its own. */
async function withEmails(addresses: readonly [string, string] = ['ann@example.com', 'ann.lee@mail.test']) {
  const campaign = await makeCampaign(db.pool)
  audience = await audienceOf(db.pool, campaign.workspaceId, makeKey('test'))
  const emails = await makeEmails(db.pool, campaign, 2, 2)
  const [one = '', two = ''] = [...new Set(emails.map(({ prospectId }) => prospectId))]
  for (const [id, address] of [
    [one, addresses[0]],
    [two, addresses[1]],
  ] as const)
    await db.pool.query('UPDATE prospects SET email = $2, email_hash = $3 WHERE id = $1', [
      id,
      address,
      audience.hash(address),
    ])
  const waiting = async (prospectId: string) => {
    const { rows } = await db.pool.query<{ key: string; status: string }>(
      'SELECT idempotency_key AS key, status FROM scheduled_emails WHERE prospect_id = $1 ORDER BY step_number',
      [prospectId],
    )
    return rows
  }
  return { one, two, waiting, sequenceId: campaign.sequenceId }
}

test('merging keeps both sets of keys, cancels what waits for the loser, and leaves no chain', async () => {
  const { one, two, waiting, sequenceId } = await withEmails()
  const list = await createList(db.pool, audience.workspaceId, 'Readers')
  await tx((client) => addMembers(client, audience.workspaceId, list.id, [two]))
  await change(one, { firstName: 'Ann', customFields: { city: 'Bonn' } })
  await change(two, { firstName: 'A.', lastName: 'Lee', customFields: { city: 'Köln', size: 4 } })
  const older = await add('ann@old.test')
  await merge(two, older.id)
  const merged = await merge(one, two)
  expect(merged.cancelledEmails).toBe(2)
  expect(merged.prospect).toMatchObject({ firstName: 'Ann', lastName: 'Lee', customFields: { city: 'Bonn', size: 4 } })
  expect(await load(two)).toMatchObject({ mergedIntoId: one, email: 'ann.lee@mail.test', firstName: null })
  expect(await load(older.id)).toMatchObject({ mergedIntoId: one })
  expect(await waiting(one)).toEqual(
    [1, 2].map((step) => ({ key: `${one}:${sequenceId}:${step}`, status: 'SCHEDULED' })),
  )
  expect(await waiting(two)).toEqual(
    [1, 2].map((step) => ({ key: `${two}:${sequenceId}:${step}`, status: 'CANCELLED' })),
  )
  expect((await listsOf(db.pool, one)).map(({ name }) => name)).toEqual(['Readers'])
  expect((await loadList(db.pool, audience.workspaceId, list.id)).members).toBe(1)
  expect(await merge(one, two)).toMatchObject({ prospect: { id: one }, cancelledEmails: 0 })
  const third = (await add('third@old.test')).id
  await expect(merge(third, two)).rejects.toMatchObject({ code: 'merged', details: { mergedIntoId: one } })
  await expect(merge(one, one)).rejects.toMatchObject({ status: 400 })
  await expect(add('ann@old.test')).rejects.toMatchObject({ code: 'merged', details: { prospectId: one } })
})

test('two merges of one pair at once, each the other way round, leave one winner', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [one, two] = [await add(`one${round}@example.com`), await add(`two${round}@example.com`)]
    const answers = await Promise.allSettled([merge(one.id, two.id), merge(two.id, one.id)])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  }
})

test('who unsubscribed under one address did so under both, and gets nothing that waits', async () => {
  const { one, two, waiting } = await withEmails()
  await change(two, { unsubscribed: true })
  expect((await merge(one, two)).cancelledEmails).toBe(2)
  expect((await load(one)).unsubscribedAt).toBeInstanceOf(Date)
  expect((await waiting(one)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
})

test('suppressing a domain cancels what waits for its people, archiving what waits for one', async () => {
  const { one, two, waiting } = await withEmails()
  expect(await suppress('mail.test')).toMatchObject({ added: true, cancelledEmails: 2 })
  expect((await waiting(two)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
  expect((await waiting(one)).map(({ status }) => status)).toEqual(['SCHEDULED', 'SCHEDULED'])
  await change(one, { archived: true })
  expect((await waiting(one)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
})

test('erasing leaves nothing personal in any column of any table, and the same person comes back under the same id', async () => {
  const { one, two, waiting } = await withEmails(['beeble@erase.test', 'brox@erase.test'])
  const list = await createList(db.pool, audience.workspaceId, 'Readers')
  await tx((client) => addMembers(client, audience.workspaceId, list.id, [one]))
  await change(one, {
    firstName: 'Zaphod-first',
    lastName: 'Zaphod-last',
    company: 'Zaphod-company',
    timeZone: 'Asia/Kathmandu',
    customFields: { planet: 'Zaphod-planet' },
  })
  await importFile(db.pool, audience, 'e\nbeeble@erase.test\nbeeble@erase.test\nbrox@erase.test;x', {
    columns: [{ to: 'email' }],
  })
  await merge(one, two)
  await addSuppression(
    db.pool,
    audience.workspaceId,
    audience.hash,
    { value: 'brox@erase.test', reason: 'Zaphod-asked', source: 'PERSON' },
    actor,
    audience.consequences.cancelWaiting,
  )
  await tx((client) => exportProspect(client, audience.workspaceId, one, actor, audience.consequences))
  const words = ['beeble@erase.test', 'brox@erase.test', 'Zaphod', 'Kathmandu']
  expect(await columnsThatHold(words)).not.toEqual([])

  expect(await erase(two)).toEqual({ erased: 2, cancelledEmails: 2 })
  expect(await columnsThatHold(words)).toEqual([])
  expect((await waiting(one)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
  expect(await erase(one)).toEqual({ erased: 0, cancelledEmails: 0 })
  await expect(change(one, { firstName: 'Ann' })).rejects.toMatchObject({ code: 'erased' })

  expect(await create({ email: 'BEEBLE@erase.test' })).toMatchObject({
    revived: true,
    prospect: { id: one, firstName: null },
  })
  await expect(add('brox@erase.test')).rejects.toMatchObject({ code: 'suppressed' })
})

test('who had unsubscribed and was erased stays unsubscribed under every address they had', async () => {
  const [ann, old] = [await add('ann@example.com'), await add('ann@old.test')]
  await merge(ann.id, old.id)
  await change(ann.id, { unsubscribed: true })
  await erase(ann.id)
  for (const email of ['ann@example.com', 'ann@old.test'])
    await expect(add(email)).rejects.toMatchObject({ code: 'unsubscribed' })
})

test('the export of a person holds all of it, under whichever id it is asked for', async () => {
  const { one, two } = await withEmails()
  await merge(one, two)
  for (const id of [one, two]) {
    const all = await tx((client) => exportProspect(client, audience.workspaceId, id, actor, audience.consequences))
    expect(all.prospect.id).toBe(one)
    expect(all.mergedProspects.map((merged) => merged.id)).toEqual([two])
    expect(all.enrolments).toHaveLength(2)
    expect(all.emails).toHaveLength(4)
    expect(all.events).toHaveLength(2)
  }
  const elsewhere = await makeAudience(db.pool)
  await expect(
    tx((client) => exportProspect(client, elsewhere.workspaceId, one, actor, elsewhere.consequences)),
  ).rejects.toMatchObject({
    status: 404,
  })
  const { rows } = await db.pool.query(
    `SELECT target_name AS name FROM audit_log WHERE workspace_id = $1 AND action = 'prospect.exported'`,
    [audience.workspaceId],
  )
  expect(rows).toEqual([{ name: `prospect ${one}` }, { name: `prospect ${two}` }])
})

/** Every column of every table, read as text. */
async function columnsThatHold(words: string[]): Promise<string[]> {
  const { rows: columns } = await db.pool.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY 1, 2`,
  )
  const holding: string[] = []
  for (const { table, column } of columns) {
    const { rows } = await db.pool.query(
      `SELECT FROM "${table}" WHERE EXISTS (
         SELECT FROM unnest($1::text[]) AS word
         WHERE position(lower(word) IN lower("${column}"::text)) > 0
            OR position(encode(convert_to(word, 'UTF8'), 'hex') IN "${column}"::text) > 0)`,
      [words],
    )
    if (rows.length > 0) holding.push(`${table}.${column}`)
  }
  return holding
}
