import { expect, test } from 'vitest'
import { PASSWORD, setUp, signIn, testApp, Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()

test("another site's page changes nothing with the cookies of a person who is signed in", async () => {
  const owner = await setUp()
  const id = (await whoAmI(owner)).workspace?.id ?? ''
  const rename = { params: { id }, body: { name: 'Taken over' } }
  for (const headers of [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': '' },
    { origin: '', 'sec-fetch-site': 'same-site' },
    { origin: '', 'sec-fetch-site': '' },
  ]) {
    const { status, json } = await owner.call('PATCH', '/api/workspaces/[id]', { ...rename, headers })
    expect([status, json]).toMatchObject([403, { error: { code: 'foreign-origin' } }])
  }
  expect((await whoAmI(owner)).workspace?.name).toBe('Acme')
})

test('nor does a link on it leave a trace in the audit log: an export is given to our own pages alone', async () => {
  const owner = await signIn('olga@example.com')
  const added = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: 'ann@x.test' },
  })
  const { id } = added.prospect
  const exports = async () => {
    const sql = `SELECT count(*)::int AS count FROM audit_log WHERE action = 'prospect.exported'`
    return (await app.db.pool.query<{ count: number }>(sql)).rows[0]?.count
  }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '' },
  ]) {
    const { status } = await owner.call('GET', '/api/prospects/[id]/export', { params: { id }, headers })
    expect(status).toBe(403)
  }
  expect(await exports()).toBe(0)
  for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
    const { status } = await owner.call('GET', '/api/prospects/[id]/export', { params: { id }, headers })
    expect(status).toBe(200)
  }
  expect(await exports()).toBe(2)
})

test('nor does it sign a visitor in as another person', async () => {
  const { status, response } = await new Visitor().call('POST', '/api/session', {
    body: { email: 'olga@example.com', password: PASSWORD },
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  })
  expect(status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
})

test('a form cannot post: only JSON is read', async () => {
  const { status } = await new Visitor().call('POST', '/api/session', {
    body: { email: 'olga@example.com', password: PASSWORD },
    headers: { 'content-type': 'text/plain' },
  })
  expect(status).toBe(415)
})
