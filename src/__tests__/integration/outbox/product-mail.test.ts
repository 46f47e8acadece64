import { beforeAll, expect, test } from 'vitest'
import { examine } from '#lib/operations/doctor/examine.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient } from '#tests/support/mail/outbox.ts'
import { settled, testApp, tokenMailedTo, Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** The product's own mail goes through the queue, by the mailbox of the environment. */
const app = testApp()
const shop = mailSink()
let client: OutboxClient

type Invited = { invitation: { id: string; mail: string } }
const invite = (email: string) =>
  client.owner.ask<Invited>('POST', '/api/invitations', { body: { email, role: 'member' } })
/** As the list of invitations tells it. */
const mailOf = async (email: string) =>
  (
    await client.owner.ask<{ invitations: { email: string; mail: string }[] }>('GET', '/api/invitations')
  ).invitations.find((one) => one.email === email)?.mail
/** The newest. */
const newest = async () =>
  (
    await app.db.pool.query<{ id: string; status: string; attempts: number; text: string }>(
      `SELECT e.id, e.status, e.attempts, c.to_address || c.subject || c.body_text || c.body_html AS text
       FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id WHERE e.workspace_id = $1 ORDER BY e.id DESC LIMIT 1`,
      [SYSTEM_WORKSPACE_ID],
    )
  ).rows[0]

beforeAll(async () => {
  client = await OutboxClient.enter(app, shop.port)
})

test('an invitation has its mail at once, from the address of the environment, as a mail that no person wrote', async () => {
  expect(await invite('anna@example.com')).toMatchObject({ invitation: { mail: 'sent' } })
  const mail = app.mails.at(-1)
  expect(mail?.from?.text).toBe('"Sendonce" <sendonce@example.com>')
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
  expect(await newest()).toMatchObject({ status: 'SENT' })
})

test('what a mail held is kept no longer than until it was sent', async () => {
  expect(await newest()).toMatchObject({ status: 'SENT', text: '' })
})

test('while the server asks to come back later, people are invited all the same, and the mail goes out by itself', async () => {
  app.isMailBusy = true
  expect(await invite('bert@example.com')).toMatchObject({ invitation: { mail: 'waits' } })
  expect(await mailOf('bert@example.com')).toBe('waits')
  app.isMailBusy = false
  await app.db.travel('31 seconds')
  await client.tickUntilSent()
  expect(await newest()).toMatchObject({ status: 'SENT' })
  expect(await mailOf('bert@example.com')).toBe('sent')
  const accepted = new Visitor().call('POST', '/api/invitations/accept', {
    body: {
      token: tokenMailedTo(app, 'bert@example.com'),
      newPerson: { name: 'Bert', password: 'correct horse battery' },
    },
  })
  expect((await accepted).status).toBe(200)
})

test('a newer mail of the same invitation takes back one that still waits, and so does its end', async () => {
  const waiting = async () =>
    (
      await app.db.pool.query<{ status: string; reason: string | null }>(
        `SELECT status, cancel_reason AS reason FROM scheduled_emails WHERE workspace_id = $1 AND status <> 'SENT' ORDER BY id`,
        [SYSTEM_WORKSPACE_ID],
      )
    ).rows
  app.isMailBusy = true
  const { invitation } = await invite('emil@example.com')
  const params = { id: invitation.id }
  expect(await client.owner.ask('POST', '/api/invitations/[id]/resend', { params })).toMatchObject({
    invitation: { mail: 'waits' },
  })
  const outdated = { status: 'CANCELLED', reason: 'OUTDATED' }
  expect(await waiting()).toEqual([outdated, { status: 'RETRY_SCHEDULED', reason: null }])
  await client.owner.ask('DELETE', '/api/invitations/[id]', { params })
  expect(await waiting()).toEqual([outdated, outdated])
  app.isMailBusy = false
  await app.db.travel('31 seconds')
  await client.tickUntilSent()
  expect(app.mails.some((mail) => mail.to && 'text' in mail.to && mail.to.text === 'emil@example.com')).toBe(false)
})

test('while nothing answers where the server should be, no attempt is used up, and the mail goes out in the end', async () => {
  app.isMailDown = true
  expect(await invite('dora@example.com')).toMatchObject({ invitation: { mail: 'waits' } })
  await app.db.travel('2 minutes')
  await client.tick()
  expect(await newest()).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: 0 })
  app.isMailDown = false
  await app.db.travel('6 minutes')
  await client.tickUntilSent()
  expect(await newest()).toMatchObject({ status: 'SENT' })
  expect(tokenMailedTo(app, 'dora@example.com')).toBeTruthy()
})

test('a password reset is answered, and its mail comes later', async () => {
  app.isMailBusy = true
  await new Visitor().ask('POST', '/api/password-reset', { body: { email: 'olga@example.com' } })
  await settled()
  expect(await newest()).toMatchObject({ status: 'RETRY_SCHEDULED' })
  app.isMailBusy = false
  await app.db.travel('31 seconds')
  await client.tickUntilSent()
  expect(tokenMailedTo(app, 'olga@example.com')).toBeTruthy()
})

test('an address that a server once denied can be invited again', async () => {
  app.refuseMail = true
  const { invitation } = await invite('carl@example.com')
  expect(invitation.mail).toBe('not-sent')
  expect(await mailOf('carl@example.com')).toBe('not-sent')
  app.refuseMail = false
  const again = { params: { id: invitation.id } }
  expect(await client.owner.ask('POST', '/api/invitations/[id]/resend', again)).toMatchObject({
    invitation: { mail: 'sent' },
  })
})

test('nobody reads such a mail in any workspace: not its owner, not a key, not by its id', async () => {
  const mail = await newest()
  const params = { id: mail?.id ?? '' }
  const places: Record<string, string>[] = [{}, { 'x-workspace-id': SYSTEM_WORKSPACE_ID }]
  for (const headers of places) {
    expect((await client.owner.call('GET', '/api/admin/outbox/[id]', { params, headers })).status).toBe(404)
    expect((await client.owner.call('GET', '/api/emails/[id]', { params, headers })).status).toBe(404)
  }
  const { emails } = await client.owner.ask<{ emails: unknown[] }>('GET', '/api/admin/outbox')
  expect(emails).toEqual([])
  const named = { headers: { 'x-workspace-id': SYSTEM_WORKSPACE_ID } }
  expect((await client.owner.call('GET', '/api/mailboxes', named)).status).toBe(404)
  const { json } = await client.owner.call('GET', '/api/session')
  expect(JSON.stringify(json)).not.toContain(SYSTEM_WORKSPACE_ID)
  expect((await whoAmI(client.owner)).workspace?.id).toBe(client.workspaceId)
})

test('the doctor finds nothing', async () => {
  expect(await examine(app.db.pool)).toEqual([])
})
