import { expect, test } from 'vitest'
import { LIMITS, takeAttempt } from '#lib/tenancy/rate-limit.ts'
import { PASSWORD, settled, setUp, signIn, testApp, tokenMailedTo, Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()

const tryToSignIn = (email: string, password: string, address: string) =>
  new Visitor().call('POST', '/api/session', { body: { email, password }, headers: { 'x-forwarded-for': address } })

test('ten wrong passwords for one account, and even the right one waits', async () => {
  await setUp()
  const statuses: number[] = []
  for (let attempt = 0; attempt < 10; attempt++) {
    statuses.push((await tryToSignIn('olga@example.com', 'wrong password', `10.0.0.${attempt}`)).status)
  }
  expect(statuses).toEqual(Array(10).fill(401))
  const refused = await tryToSignIn('OLGA@example.com', PASSWORD, '10.0.0.99')
  expect(refused.status).toBe(429)
  const retryAfter = Number(refused.response.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThan(14 * 60)
  expect(retryAfter).toBeLessThanOrEqual(15 * 60)
})

test('an account that does not exist is limited just the same', async () => {
  for (let attempt = 0; attempt < 10; attempt++) await tryToSignIn('nobody@example.com', 'wrong password', '10.0.1.1')
  expect((await tryToSignIn('nobody@example.com', 'wrong password', '10.0.1.2')).status).toBe(429)
})

test('after the window it works again, and who knew the password starts from nothing', async () => {
  await app.db.travel('15 minutes 1 second')
  for (let attempt = 0; attempt < 12; attempt++) {
    expect((await tryToSignIn('olga@example.com', PASSWORD, `10.0.2.${attempt}`)).status).toBe(200)
  }
})

test('only failures count against an address: a whole office signs in behind one', async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  for (let person = 0; person < 3; person += 1)
    expect((await tryToSignIn('olga@example.com', PASSWORD, '10.7.7.7')).status).toBe(200)
  const { rows } = await app.db.pool.query("SELECT attempts FROM rate_limits WHERE key LIKE 'sign-in-address:%'")
  expect(rows).toEqual([{ attempts: 0 }])
})

test('one address cannot try many accounts, whatever it writes before the entry of our proxy', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 52; attempt++) {
    const { status } = await tryToSignIn(`guess${attempt}@example.com`, 'wrong password', `1.1.1.${attempt}, 10.9.9.9`)
    statuses.push(status)
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(50)
  expect(statuses.slice(50)).toEqual([429, 429])
})

test('attempts that come at once, by several instances, are all counted', async () => {
  const limit = { name: 'test', attemptsMax: 5, windowSeconds: 60 }
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => takeAttempt(app.db.pool, limit, 'one')))
  expect(verdicts.filter((verdict) => verdict.ok)).toHaveLength(5)
})

test('what has ended is cleared away, and no address or account can be read from what is there', async () => {
  await app.db.travel('1 day')
  await takeAttempt(app.db.pool, { name: 'test', attemptsMax: 5, windowSeconds: 60 }, 'olga@example.com')
  const { rows } = await app.db.pool.query<{ key: string }>('SELECT key FROM rate_limits')
  expect(rows).toHaveLength(1)
  expect(rows[0]?.key).not.toContain('olga')
})

test('asking for resets is limited by account, mail or no mail', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt++) {
    const { status } = await new Visitor().call('POST', '/api/password-reset', {
      body: { email: 'nobody@example.com' },
    })
    statuses.push(status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})

test('a person locked out by the guesses of others gets in again by a reset', async () => {
  const email = 'olga@example.com'
  for (let attempt = 0; attempt < 11; attempt++) await tryToSignIn(email, 'wrong password', `10.0.5.${attempt}`)
  expect((await tryToSignIn(email, PASSWORD, '10.0.6.1')).status).toBe(429)
  await new Visitor().ask('POST', '/api/password-reset', { body: { email } })
  await settled()
  const body = { token: tokenMailedTo(app, email), password: 'another long one' }
  await new Visitor().ask('PUT', '/api/password-reset', { body })
  await signIn(email, 'another long one')
})

test('where nobody says who calls, one caller locks out no other', async () => {
  const anonymous = { headers: { 'x-forwarded-for': '' } }
  for (let guess = 0; guess < LIMITS.tokenByAddress.attemptsMax * 2; guess += 1) {
    const answer = await new Visitor().call('POST', '/api/invitations/preview', {
      ...anonymous,
      body: { token: `guessed-${guess}` },
    })
    expect(answer.status).toBe(410)
  }
})
