import { expect, test } from 'vitest'
import {
  join,
  memberId,
  PASSWORD,
  setUp,
  signIn,
  testApp,
  tokenMailedTo,
  Visitor,
  whoAmI,
} from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor

type Sent = { invitation: { id: string; email: string; expired: boolean; mail: string } }

const invite = (host: Visitor, email: string, role = 'member') =>
  host.call<Sent>('POST', '/api/invitations', { body: { email, role } })
const accept = (visitor: Visitor, token: string, name?: string) =>
  visitor.call('POST', '/api/invitations/accept', {
    body: { token, ...(name ? { newPerson: { name, password: PASSWORD } } : {}) },
  })
const pending = async (host: Visitor) =>
  (await host.ask<{ invitations: Sent['invitation'][] }>('GET', '/api/invitations')).invitations

test('a new person accepts with a name and a password, and is in with the role of the invitation', async () => {
  owner = await setUp()
  const { json } = await invite(owner, 'Anna@Example.com', 'admin')
  expect(json).toMatchObject({ success: true, data: { invitation: { email: 'anna@example.com', mail: 'sent' } } })
  const token = tokenMailedTo(app, 'anna@example.com')
  const anna = new Visitor()
  expect(await anna.ask('POST', '/api/invitations/preview', { body: { token } })).toEqual({
    email: 'anna@example.com',
    role: 'admin',
    workspaceName: 'Acme',
    inviterName: 'Olga Owner',
    hasAccount: false,
  })
  expect((await accept(anna, token)).status).toBe(401)
  expect((await accept(anna, token, 'Anna')).status).toBe(200)
  expect(await whoAmI(anna)).toMatchObject({ person: { email: 'anna@example.com' }, workspace: { role: 'admin' } })
  expect(await pending(owner)).toEqual([])
})

test('two acceptances at once make one person and one member', async () => {
  await invite(owner, 'bert@example.com')
  const token = tokenMailedTo(app, 'bert@example.com')
  const answers = await Promise.all([1, 2, 3, 4].map((number) => accept(new Visitor(), token, `Bert ${number}`)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 410, 410, 410])
  const { rows } = await app.db.pool.query(
    `SELECT count(*) AS members FROM members m JOIN users u ON u.id = m.user_id WHERE u.email = 'bert@example.com'`,
  )
  expect(rows).toEqual([{ members: 1 }])
})

test('a person with an account accepts by signing in, and only under the invited address', async () => {
  const second = await owner.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Bureau' } })
  const inBureau = { headers: { 'x-workspace-id': second.id } }
  await owner.ask('POST', '/api/invitations', { body: { email: 'bert@example.com', role: 'member' }, ...inBureau })
  const token = tokenMailedTo(app, 'bert@example.com')
  expect((await accept(new Visitor(), token, 'Impostor')).json).toMatchObject({ error: { code: 'sign-in-first' } })
  const anna = await signIn('anna@example.com')
  expect((await accept(anna, token)).json).toMatchObject({ error: { code: 'other-address' } })
  const bert = await signIn('bert@example.com')
  expect((await accept(bert, token)).status).toBe(200)
  expect((await whoAmI(bert)).workspace).toMatchObject({ name: 'Bureau', role: 'member' })
})

test('an invitation expires after seven days, and inviting again renews it with a new link', async () => {
  await invite(owner, 'carl@example.com')
  const first = tokenMailedTo(app, 'carl@example.com')
  expect((await invite(owner, 'carl@example.com')).status).toBe(409)
  await app.db.travel('7 days 1 minute')
  expect((await accept(new Visitor(), first, 'Carl')).status).toBe(410)
  expect((await pending(owner)).map(({ email, expired }) => ({ email, expired }))).toEqual([
    { email: 'carl@example.com', expired: true },
  ])
  expect((await invite(owner, 'carl@example.com')).status).toBe(201)
  const second = tokenMailedTo(app, 'carl@example.com')
  expect((await accept(new Visitor(), first, 'Carl')).status).toBe(410)
  expect((await accept(new Visitor(), second, 'Carl')).status).toBe(200)
})

test('sending again makes a new link and spends the old one; revoking spends it for good', async () => {
  const sent = await owner.ask<Sent>('POST', '/api/invitations', {
    body: { email: 'dora@example.com', role: 'member' },
  })
  const first = tokenMailedTo(app, 'dora@example.com')
  const place = { params: { id: sent.invitation.id } }
  expect(await owner.ask('POST', '/api/invitations/[id]/resend', place)).toMatchObject({ invitation: { mail: 'sent' } })
  const second = tokenMailedTo(app, 'dora@example.com')
  expect((await accept(new Visitor(), first, 'Dora')).status).toBe(410)
  await owner.ask('DELETE', '/api/invitations/[id]', place)
  expect((await accept(new Visitor(), second, 'Dora')).status).toBe(410)
  expect((await owner.call('POST', '/api/invitations/[id]/resend', place)).status).toBe(404)
})

test('when the mail does not go out, the invitation stays and the answer says so', async () => {
  app.refuseMail = true
  const { status, json } = await invite(owner, 'emil@example.com')
  app.refuseMail = false
  expect([status, json]).toMatchObject([201, { data: { invitation: { mail: 'not-sent' } } }])
  expect((await pending(owner)).map((invitation) => invitation.email)).toEqual(['emil@example.com'])
})

test('who is in already is not invited', async () => {
  expect((await invite(owner, 'anna@example.com')).json).toMatchObject({ error: { code: 'already-member' } })
})

test('an admin invites admins and members, but no owner, and touches no invitation of one', async () => {
  const anna = await signIn('anna@example.com')
  expect((await invite(anna, 'fay@example.com', 'owner')).status).toBe(403)
  expect((await invite(anna, 'fay@example.com', 'admin')).status).toBe(201)
  const sent = await owner.ask<Sent>('POST', '/api/invitations', { body: { email: 'gus@example.com', role: 'owner' } })
  const place = { params: { id: sent.invitation.id } }
  expect((await anna.call('POST', '/api/invitations/[id]/resend', place)).status).toBe(403)
  expect((await anna.call('DELETE', '/api/invitations/[id]', place)).status).toBe(403)
})

test('a removed person leaves no open invitation behind', async () => {
  const token = tokenMailedTo(app, 'fay@example.com')
  await owner.ask('DELETE', '/api/members/[id]', { params: { id: await memberId(owner, 'anna@example.com') } })
  expect((await accept(new Visitor(), token, 'Fay')).status).toBe(410)
})

test('the token is in the mail only: the table keeps its hash, and the page shows it to no server', async () => {
  await join(app, owner, 'hugo@example.com', 'member')
  const mail = app.mails.at(-1)
  expect(mail?.text).toMatch(/http:\/\/localhost:3000\/invitation#token=[\w-]{43}\n/)
  const { rows } = await app.db.pool.query(`SELECT count(*) AS found FROM invitations WHERE token_hash = $1::bytea`, [
    Buffer.from(tokenMailedTo(app, 'hugo@example.com')),
  ])
  expect(rows).toEqual([{ found: 0 }])
})
