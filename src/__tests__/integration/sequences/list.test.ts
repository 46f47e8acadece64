import { beforeAll, beforeEach, expect, test } from 'vitest'
import { setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let olga: Visitor

beforeAll(async () => {
  olga = await setUp()
})
beforeEach(() => app.db.pool.query('DELETE FROM rate_limits'))

type Listed = { id: string; name: string; steps: number; people: number; campaigns: { name: string; status: string }[] }

const list = async (query = {}) =>
  (await olga.ask<{ sequences: Listed[] }>('GET', '/api/sequences', { query })).sequences
const make = (name: string) =>
  olga.ask<{ id: string }>('POST', '/api/sequences', { body: { name, steps: [{ subject: 'Hello', bodyText: 'Hi.' }] } })

test('the list tells which campaigns use a sequence, and how many people they cover', async () => {
  const { id: sequenceId } = await make('Used')
  await make('Unused')
  for (const name of ['Spring', 'Autumn']) await olga.ask('POST', '/api/campaigns', { body: { name, sequenceId } })
  const { prospect } = await olga.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: 'ann@example.com' },
  })
  const { rows } = await app.db.pool.query(`SELECT id, workspace_id FROM campaigns WHERE name = 'Spring'`)
  await app.db.pool.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state) VALUES (gen_random_uuid(), $1, $2, $3, 'PENDING')`,
    [rows[0].workspace_id, rows[0].id, prospect.id],
  )
  const used = async () => (await list()).find(({ name }) => name === 'Used')
  expect(await used()).toMatchObject({ steps: 1, people: 0 })
  const planned = `UPDATE campaign_prospects SET planned_at = app_now(), state = 'ACTIVE' WHERE prospect_id = $1`
  await app.db.pool.query(planned, [prospect.id])
  expect(await used()).toMatchObject({
    people: 1,
    campaigns: [
      { name: 'Spring', status: 'DRAFT' },
      { name: 'Autumn', status: 'DRAFT' },
    ],
  })
  expect((await list()).find(({ name }) => name === 'Unused')).toMatchObject({ people: 0, campaigns: [] })
})

test('a name is found by a part of it, and what means something to SQL means nothing', async () => {
  await make('100% off_er')
  const named = async (search: string) => (await list({ search })).map(({ name }) => name)
  expect(await named('% OFF_')).toEqual(['100% off_er'])
  expect(await named('_____________')).toEqual([])
})

test('what is archived is in a list of its own, and comes back', async () => {
  const { id } = await make('Old')
  await olga.ask('DELETE', '/api/sequences/[id]', { params: { id } })
  const names = async (query = {}) => (await list(query)).map(({ name }) => name)
  expect(await names()).not.toContain('Old')
  expect(await names({ archived: 'true' })).toEqual(['Old'])
  for (const _ of ['once', 'again']) await olga.ask('POST', '/api/sequences/[id]/restore', { params: { id } })
  expect(await names()).toContain('Old')
  const { rows } = await app.db.pool.query(`SELECT FROM audit_log WHERE action = 'sequence.restored'`)
  expect(rows).toHaveLength(1)
})

test('a copy has the texts, and is a sequence of its own', async () => {
  const { id } = await make('N'.repeat(100))
  await app.db.pool.query('UPDATE sequences SET launched_at = app_now() WHERE id = $1', [id])
  const copy = await olga.ask<{ id: string; name: string; launchedAt: string | null; steps: object[] }>(
    'POST',
    '/api/sequences/[id]/duplicate',
    { params: { id } },
  )
  expect(copy).toMatchObject({ name: `${'N'.repeat(93)} (copy)`, launchedAt: null, steps: [{ subject: 'Hello' }] })
  expect(copy.id).not.toBe(id)
})

test('of each field, how many people lack it is counted over those who can get email', async () => {
  await app.db.pool.query('DELETE FROM campaign_prospects')
  await app.db.pool.query('DELETE FROM prospects')
  const add = (email: string, fields: object) =>
    olga.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body: { email, ...fields } })
  await add('a@example.com', { firstName: 'Ann', company: 'Acme', customFields: { city: 'Bonn' } })
  await add('b@example.com', { firstName: 'Bob', company: '  ' })
  await add('c@example.com', {})
  const gone = await add('d@example.com', { firstName: 'Dora' })
  await app.db.pool.query('UPDATE prospects SET unsubscribed_at = app_now() WHERE id = $1', [gone.prospect.id])
  const { people, fields } = await olga.ask<{ people: number; fields: { field: string; lacking: number }[] }>(
    'GET',
    '/api/sequences/fields',
  )
  expect(people).toBe(3)
  expect(Object.fromEntries(fields.map(({ field, lacking }) => [field, lacking]))).toEqual({
    firstName: 1,
    lastName: 3,
    company: 2,
    email: 0,
    'custom.city': 2,
  })
})
