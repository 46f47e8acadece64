import { beforeAll, expect, test } from 'vitest'
import { authorisationUrl } from '#lib/mail/gmail/oauth.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { grantTokens } from '#tests/support/gmail/grant.ts'

/** What plays Google is as strict as its documentation, or it would let through what Google refuses. */
const fake = testGoogle()
const EMAIL = 'ann@acme.test'
const G = 'https://www.googleapis.com/auth/gmail'
let token = ''
beforeAll(async () => {
  token = (await grantTokens(fake.google, EMAIL)).accessToken
})

async function call(method: string, path: string, body?: unknown, bearer = token) {
  const response = await fetch(`${fake.url}/gmail/v1/users/me${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
}
const raw = (headers: string) => Buffer.from(`${headers}\r\n\r\nHello`).toString('base64url')
const FULL = raw(
  'From: ann@acme.test\r\nTo: bob@example.test\r\nSubject: Hi\r\nMessage-ID: <own@acme.test>\r\nX-Own: 1',
)

test('a scope that Google has not, and a parameter that it does not name, are refused at its page', async () => {
  const ask = { redirectUri: 'http://localhost:3000/x', state: 's', verifier: 'v' }
  const page = (scopes: string[]) => fetch(authorisationUrl(fake.google, { ...ask, scopes }))
  expect((await page(['openid', `${G}.compose`])).status).toBe(200)
  expect((await page([`${G}.sendeverything`])).status).toBe(400)
  const url = new URL(authorisationUrl(fake.google, { ...ask, scopes: ['openid'] }))
  url.searchParams.set('colour', 'red')
  expect((await fetch(url)).status).toBe(400)
})

test('fields, parameters and operators that are not documented are refused by name', async () => {
  expect(await call('POST', '/drafts', { message: { raw: FULL, urgent: true } })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringMatching(/"urgent"/) } },
  })
  expect((await call('GET', '/messages?limit=3')).status).toBe(400)
  expect((await call('GET', '/messages?q=sentto:bob@example.test')).status).toBe(400)
  expect((await call('GET', '/messages?q=in:sent%20to:bob@example.test%20after:1700000000')).status).toBe(200)
})

test('each call needs one of the scopes that Google’s list names for it', async () => {
  const { accessToken } = await grantTokens(fake.google, EMAIL, ['openid', 'email', `${G}.send`])
  const refused = { status: 403, body: { error: { errors: [{ reason: 'insufficientPermissions' }] } } }
  expect(await call('POST', '/drafts', { message: { raw: FULL } }, accessToken)).toMatchObject(refused)
  expect(await call('GET', '/messages', undefined, accessToken)).toMatchObject(refused)
  expect(await call('POST', '/messages/send', { raw: FULL }, accessToken)).toMatchObject({ status: 200 })
  expect((await call('GET', '/profile', undefined, 'made up')).status).toBe(401)
})

test('a draft is sent once, loses its Message-ID and Bcc, stands in its thread and in the history, and is found when it is indexed', async () => {
  const before = (await call('GET', '/profile')).body.historyId
  const made = await call('POST', '/drafts', { message: { raw: FULL } })
  const sent = await call('POST', '/drafts/send', { id: made.body.id })
  expect((await call('POST', '/drafts/send', { id: made.body.id })).status).toBe(404)
  expect((await call('DELETE', `/drafts/${made.body.id}`)).status).toBe(404)
  const { id, threadId } = sent.body
  const read = await call('GET', `/messages/${id}?format=metadata&metadataHeaders=Message-ID&metadataHeaders=X-Own`)
  expect(read.body.payload.headers).toEqual([
    { name: 'message-id', value: expect.stringMatching(/@mail\.gmail\.com>$/) },
    { name: 'x-own', value: '1' },
  ])
  expect((await call('GET', `/threads/${threadId}?format=minimal`)).body.messages).toHaveLength(1)
  expect((await call('GET', `/history?startHistoryId=${before}`)).body.history).toMatchObject([
    { messagesAdded: [{ message: { id } }] },
  ])
  expect((await call('GET', '/history?startHistoryId=1')).status).toBe(404)
  const found = async () => (await call('GET', '/messages?q=in:sent%20to:bob@example.test')).body.messages ?? []
  await fake.play({ indexMs: 60_000 })
  expect(await found()).toEqual([])
  await fake.play({})
  expect(await found()).toContainEqual({ id, threadId })
})

test('a message without a recipient, and more than the limits of a minute or of 24 hours, are refused as Google does', async () => {
  expect((await call('POST', '/messages/send', { raw: raw('Subject: Hi') })).status).toBe(400)
  await fake.play({ sendsPerDay: 1 })
  expect(await call('POST', '/messages/send', { raw: FULL })).toMatchObject({
    status: 429,
    body: { error: { message: expect.stringMatching(/Retry after \d{4}-/) } },
  })
  await fake.play({ unitsPerMinute: 0 })
  expect(await call('GET', '/profile')).toMatchObject({
    status: 403,
    body: { error: { errors: [{ reason: 'userRateLimitExceeded' }] } },
  })
  await fake.play({})
})
