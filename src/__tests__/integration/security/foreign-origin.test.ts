import { expect, test } from 'vitest'
import { PASSWORD, setUp, testApp, Visitor, whoAmI } from '#tests/support/in-process.ts'

testApp()

test("another site's page changes nothing with the cookies of somebody who is signed in", async () => {
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

test('nor does it sign a visitor in as somebody else', async () => {
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
