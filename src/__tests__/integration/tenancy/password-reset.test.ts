import { expect, test } from 'vitest'
import { PASSWORD, settled, setUp, signIn, testApp, tokenMailedTo, Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
const EMAIL = 'olga@example.com'
const NEW_PASSWORD = 'another long one'

async function askForLink(email = EMAIL): Promise<unknown> {
  const { json } = await new Visitor().call('POST', '/api/password-reset', { body: { email } })
  await settled()
  return json
}

const reset = (token: string, password = NEW_PASSWORD) =>
  new Visitor().call('PUT', '/api/password-reset', { body: { token, password } })

test('the answer is the same whether or not the address belongs to anyone; only its owner gets a mail', async () => {
  await setUp()
  const known = await askForLink()
  const unknown = await askForLink('nobody@example.com')
  expect(known).toEqual(unknown)
  expect(app.mails.map((mail) => mail.to && 'text' in mail.to && mail.to.text)).toEqual([EMAIL])
})

test('the link sets a new password once, ends all sessions, and spends every other link', async () => {
  const here = await signIn(EMAIL)
  const older = tokenMailedTo(app, EMAIL)
  await askForLink()
  const newer = tokenMailedTo(app, EMAIL)
  expect((await reset(newer)).status).toBe(200)
  expect((await here.call('GET', '/api/session')).status).toBe(401)
  expect((await reset(newer, 'a third password')).status).toBe(410)
  expect((await reset(older, 'a third password')).status).toBe(410)
  expect(
    (await new Visitor().call('POST', '/api/session', { body: { email: EMAIL, password: PASSWORD } })).status,
  ).toBe(401)
  await signIn(EMAIL, NEW_PASSWORD)
})

test('two uses of one link at once set one password', async () => {
  await askForLink()
  const token = tokenMailedTo(app, EMAIL)
  const answers = await Promise.all([reset(token, 'password number 1'), reset(token, 'password number 2')])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 410])
})

test('a link that has expired does nothing', async () => {
  await askForLink()
  await app.db.pool.query(`UPDATE verifications SET expires_at = now() - interval '1 second'`)
  expect((await reset(tokenMailedTo(app, EMAIL))).status).toBe(410)
})

test('the token is kept as a hash, and lasts an hour', async () => {
  await askForLink()
  const token = tokenMailedTo(app, EMAIL)
  const { rows } = await app.db.pool.query<{ identifier: string; minutes: number }>(
    `SELECT identifier, round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes FROM verifications`,
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]?.identifier).not.toContain(token)
  expect(rows[0]?.minutes).toBe(60)
})

test('a reset is in the audit log', async () => {
  const { rows } = await app.db.pool.query(`SELECT actor_email FROM audit_log WHERE action = 'person.password-reset'`)
  expect(rows).toEqual([{ actor_email: EMAIL }, { actor_email: EMAIL }])
})
