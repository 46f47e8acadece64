import { expect, test } from 'vitest'
import { createPool } from '#lib/platform/database.ts'
import { passwordSchema } from '#lib/tenancy/person.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { endWaiting, heldOpen } from '#tests/support/server/database.ts'
import { join, PASSWORD, setUp, signIn, testApp, Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()

test('a session lives in a cookie that no script reads and no other site sends', async () => {
  await setUp()
  const { response } = await new Visitor().call('POST', '/api/session', {
    body: { email: 'Olga@Example.com ', password: PASSWORD },
  })
  const cookie = response.headers.getSetCookie().find((set) => set.startsWith('sendonce.session_token='))
  expect(cookie).toMatch(/HttpOnly/i)
  expect(cookie).toMatch(/SameSite=Lax/i)
  expect(cookie).toMatch(/Path=\//i)
  expect(cookie).not.toMatch(/Domain=/i)
})

test('the cookie is Secure and says so in its name where the product is served by https', async () => {
  const { createAuth } = await import('#lib/tenancy/people/auth.ts')
  const { prisma } = await import('#lib/platform/database.ts')
  const { log } = await import('#lib/platform/log.ts')
  const auth = createAuth({
    prisma: prisma(),
    appUrl: 'https://mail.example.com',
    secret: 'x'.repeat(32),
    log,
  })
  const { sessionToken } = (await auth.$context).authCookies
  expect(sessionToken.name).toBe('__Secure-sendonce.session_token')
  expect(sessionToken.attributes).toMatchObject({ secure: true, httpOnly: true, sameSite: 'lax' })
})

test('an unknown address and a wrong password get the same answer', async () => {
  const unknown = await new Visitor().call('POST', '/api/session', {
    body: { email: 'nobody@example.com', password: PASSWORD },
  })
  const wrong = await new Visitor().call('POST', '/api/session', {
    body: { email: 'olga@example.com', password: 'not the password' },
  })
  expect([unknown.status, wrong.status]).toEqual([401, 401])
  expect(unknown.json).toEqual(wrong.json)
})

// It was answered with a 500: our schema took a thousand characters, and better-auth 128.
test('a password that is longer than any can be is told so, whether or not there is such a person', async () => {
  const asked = ['olga@example.com', 'nobody@example.com'].flatMap((email) =>
    ['p'.repeat(129), 'p'.repeat(1_000), '👩‍👩‍👧‍👦'.repeat(25), '😀'.repeat(65)].map((password) => ({
      email,
      password,
    })),
  )
  for (const body of asked) {
    const { status, json } = await new Visitor().call('POST', '/api/session', { body })
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { code: 'invalid-input' } } })
    expect(JSON.stringify(json)).toMatch(/A password has at most 128 characters/)
  }
  const longest = { email: 'nobody@example.com', password: 'p'.repeat(128) }
  expect((await new Visitor().call('POST', '/api/session', { body: longest })).status).toBe(401)
})

test('what cannot be entered afterwards cannot be chosen as a password', () => {
  for (const [password, isTaken] of [
    ['😀'.repeat(64), true],
    ['😀'.repeat(65), false],
    ['😀'.repeat(100), false],
  ] as const)
    expect([password, passwordSchema.safeParse(password).success]).toEqual([password, isTaken])
})

test('signing out ends the session on the server, not only in the browser', async () => {
  const visitor = await signIn('olga@example.com')
  const stolen = new Visitor()
  for (const [name, value] of visitor.cookies) stolen.cookies.set(name, value)
  await visitor.ask('DELETE', '/api/session')
  expect((await stolen.call('GET', '/api/session')).status).toBe(401)
})

test('a database that goes away while somebody signs in, or is looked up, is told as that, and signs nobody out', async () => {
  const visitor = await signIn('olga@example.com')
  const other = createPool(app.db.url, 2)
  const body = { email: 'olga@example.com', password: PASSWORD }
  for (const ask of [
    () => visitor.call('GET', '/api/session'),
    () => new Visitor().call('POST', '/api/session', { body }),
  ]) {
    const held = await heldOpen(other, (tx) => tx.query('LOCK TABLE sessions, users IN ACCESS EXCLUSIVE MODE'))
    const asked = ask()
    await until('it waits for the lock', async () => (await endWaiting(other, false)) > 0)
    await endWaiting(other, true)
    const { status, json } = await asked
    await held.commit()
    expect({ status, json }).toMatchObject({ status: 503, json: { error: { code: 'database-away' } } })
  }
  await other.end()
  expect((await visitor.call('GET', '/api/session')).status).toBe(200)
})

test('a session that is ended while a request renews it is over, and nothing has failed', async () => {
  const visitor = await signIn('olga@example.com')
  // Old enough to be renewed by the next request.
  await app.db.pool.query(`UPDATE sessions SET expires_at = expires_at - interval '2 days'`)
  const other = createPool(app.db.url, 2)
  const held = await heldOpen(other, (tx) => tx.query('DELETE FROM sessions'))
  const asked = visitor.call('GET', '/api/session')
  await until('it waits to renew', async () => (await endWaiting(other, false)) > 0)
  await held.commit()
  await other.end()
  expect((await asked).status).toBe(401)
})

test('a cookie with a changed signature is nobody', async () => {
  const visitor = await signIn('olga@example.com')
  for (const [name, value] of visitor.cookies) visitor.cookies.set(name, `${value.slice(0, -6)}AAAA%3D`)
  expect((await visitor.call('GET', '/api/session')).status).toBe(401)
})

test('a person has several workspaces and switches between them; each tab may stay where it is', async () => {
  const owner = await signIn('olga@example.com')
  const second = await owner.ask<{ id: string }>('POST', '/api/workspaces', {
    body: { name: 'Bureau', timeZone: 'Asia/Tokyo' },
  })
  expect((await whoAmI(owner)).workspace?.name).toBe('Acme')
  await owner.ask('PATCH', '/api/session', { body: { workspaceId: second.id } })
  const me = await whoAmI(owner)
  expect(me.workspace).toMatchObject({ name: 'Bureau', role: 'owner', timeZone: 'Asia/Tokyo' })
  expect(me.workspaces.map((workspace) => workspace.name)).toEqual(['Acme', 'Bureau'])

  const acme = me.workspaces[0]?.id ?? ''
  await join(app, owner, 'bea@example.com', 'member')
  const inAcme = await owner.ask<{ members: unknown[] }>('GET', '/api/members', { headers: { 'x-workspace-id': acme } })
  const inBureau = await owner.ask<{ members: unknown[] }>('GET', '/api/members')
  expect([inAcme.members.length, inBureau.members.length]).toEqual([1, 2])
})

test('nobody switches to a workspace that is not theirs', async () => {
  const bea = await signIn('bea@example.com')
  const owner = await whoAmI(await signIn('olga@example.com'))
  const acme = owner.workspaces.find((workspace) => workspace.name === 'Acme')?.id
  const refused = await bea.call('PATCH', '/api/session', { body: { workspaceId: acme } })
  expect(refused.status).toBe(404)
  expect((await whoAmI(bea)).workspace?.name).toBe('Bureau')
})

test('passwords are long, not complicated', async () => {
  const setup = (password: string) =>
    new Visitor().call('POST', '/api/setup', {
      body: { name: 'x', email: 'x@example.com', password, workspaceName: 'x' },
    })
  expect((await setup('nine char')).status).toBe(400)
  expect((await setup('a'.repeat(129))).status).toBe(400)
  expect((await setup('aaaaaaaaaa')).status).toBe(409) // long enough; refused because an owner is here
})
