import { beforeAll, expect, test } from 'vitest'
import { join, setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let member: Visitor

type Filter = { id: string; name: string; filter: Record<string, unknown> }

beforeAll(async () => {
  owner = await setUp()
  member = await join(app, owner, 'mia@example.com', 'member')
})

const FILTERS = '/api/admin/outbox/filters'
const save = (name: string, filter: object, who = owner) =>
  who.call<Filter>('POST', FILTERS, { body: { name, filter } })
const names = async (who = owner) =>
  (await who.ask<{ filters: Filter[] }>('GET', FILTERS)).filters.map(({ name }) => name)
const one = (id: string) => ({ params: { id } })

test('a filter is saved under a name for the whole workspace, removed, and brought back', async () => {
  const filter = { part: 'decide', errorCode: 'MESSAGE_REFUSED', search: 'acme' }
  const made = await owner.ask<Filter>('POST', FILTERS, { body: { name: 'Refused at Acme', filter } })
  expect(made).toMatchObject({ name: 'Refused at Acme', filter })
  expect((await save('A member’s', { kind: 'TRANSACTIONAL' }, member)).status).toBe(201)
  expect(await names(member)).toEqual(['A member’s', 'Refused at Acme'])

  await owner.ask('DELETE', `${FILTERS}/[id]`, one(made.id))
  expect(await names()).toEqual(['A member’s'])
  expect(await owner.ask<Filter>('POST', `${FILTERS}/[id]/restore`, one(made.id))).toMatchObject({ filter })
  expect(await names()).toEqual(['A member’s', 'Refused at Acme'])
})

test('a name stands for one filter, until that is removed; it cannot come back while another has its name', async () => {
  const made = await owner.ask<Filter>('POST', FILTERS, { body: { name: 'Mine', filter: { kind: 'CAMPAIGN' } } })
  const again = await save('MINE', { kind: 'TRANSACTIONAL' })
  expect([again.status, again.json]).toMatchObject([409, { error: { code: 'name-taken' } }])
  await owner.ask('DELETE', `${FILTERS}/[id]`, one(made.id))
  expect((await save('Mine', { kind: 'TRANSACTIONAL' })).status).toBe(201)
  const back = await owner.call('POST', `${FILTERS}/[id]/restore`, one(made.id))
  expect([back.status, back.json]).toMatchObject([409, { error: { code: 'name-taken' } }])
})

test('a tab alone is no filter, and neither is nothing', async () => {
  for (const filter of [{}, { part: 'sent' }]) {
    const refused = await save('Nothing', filter)
    expect([refused.status, refused.json]).toMatchObject([
      400,
      { error: { message: 'A filter needs at least one condition beside its tab.' } },
    ])
  }
})
