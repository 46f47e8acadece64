import { expect, test } from 'vitest'
import { askForReset } from '#lib/tenancy/people/reset-asks.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'
import { OwnMail } from '#lib/wiring/own-mail.ts'
import { answerReset } from '#lib/wiring/password-reset.ts'
import { PASSWORD, settled, setUp, signIn, testApp, tokenMailedTo, Visitor } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

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

test('what was asked for is kept before the answer, for anybody alike, and is answered by a tick where the process died', async () => {
  app.mails.splice(0)
  const known = await askForReset(app.db.pool, EMAIL)
  const unknown = await askForReset(app.db.pool, 'nobody@example.com')
  const { rows: kept } = await app.db.pool.query('SELECT id FROM password_reset_asks')
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set([known.id, unknown.id]))
  await Promise.all([1, 2].map(() => new OwnMail(app.db.pool, silent, { everyMs: 0 }).lookIfTime(() => true)))
  expect((await app.db.pool.query('SELECT FROM password_reset_asks')).rowCount).toBe(0)
  const stored = await app.db.pool.query(
    `SELECT status FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED'`,
    [SYSTEM_WORKSPACE_ID],
  )
  expect(stored.rowCount).toBe(1)
})

test('of several that answer the same one, one writes a mail', async () => {
  const before = await app.db.pool.query('SELECT FROM scheduled_emails WHERE workspace_id = $1', [SYSTEM_WORKSPACE_ID])
  const { id } = await askForReset(app.db.pool, EMAIL)
  await Promise.all([1, 2, 3, 4].map(() => answerReset(id)))
  const after = await app.db.pool.query('SELECT FROM scheduled_emails WHERE workspace_id = $1', [SYSTEM_WORKSPACE_ID])
  expect((after.rowCount ?? 0) - (before.rowCount ?? 0)).toBe(1)
})

test('a reset is in the audit log', async () => {
  const { rows } = await app.db.pool.query(`SELECT actor_email FROM audit_log WHERE action = 'person.password-reset'`)
  expect(rows).toEqual([{ actor_email: EMAIL }, { actor_email: EMAIL }])
})
