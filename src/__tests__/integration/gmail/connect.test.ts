import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { gmailProvider } from '#lib/mail/gmail/gmail-provider.ts'
import type { Google } from '#lib/mail/gmail/google.ts'
import type { GmailWish } from '#lib/mail/gmail/scopes.ts'
import { editMailbox, removeMailbox, testMailbox } from '#lib/mail/mailboxes/connect-mailbox.ts'
import { beginGmail, disconnectGmail, finishGmail, type GmailContext } from '#lib/mail/mailboxes/gmail-mailbox.ts'
import { readConnected } from '#lib/mail/mailboxes/list-mailboxes.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails, statusesOf } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { consentAt, testKeyring } from '#tests/support/gmail/grant.ts'
import { meansThrough, sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { interleaved } from '#tests/support/server/interleaved.ts'

const db = testDatabase()
const fake = testGoogle()
afterEach(() => fake.play({}))

let people = 0
const G = 'https://www.googleapis.com/auth/gmail'

async function makePlace(): Promise<{ context: GmailContext; email: string; reached: string[] }> {
  people += 1
  const reached: string[] = []
  const { workspaceId } = await makeWorkspace(db.pool, { mailboxes: 0 })
  const context = {
    ...{ pool: db.pool, keyring: testKeyring(), workspaceId, actor, google: fake.google, personId: newId() },
    redirectUri: 'http://localhost:3000/mailboxes/gmail',
    trial: { reached: (step: string) => void reached.push(step) },
  }
  return { context, email: `person-${people}@acme.test`, reached }
}

type Way = { email: string; wish?: GmailWish; mailboxId?: string; scopes?: readonly string[] }
async function consent(context: GmailContext, { email, wish = 'drafts', mailboxId, scopes }: Way) {
  const { url } = await beginGmail(context, { wish, mailboxId })
  const back = await consentAt(url, { email, ...(scopes && { scopes }) })
  return { state: back.searchParams.get('state') ?? '', code: back.searchParams.get('code') ?? '' }
}
const connect = async (context: GmailContext, way: Way) => finishGmail(context, await consent(context, way))
const read = ({ pool, workspaceId }: GmailContext, id: string) => readConnected(pool, workspaceId, id)
const secretsOf = async (mailboxId: string) =>
  (await db.pool.query('SELECT field FROM encrypted_credentials WHERE owner_id = $1 ORDER BY 1', [mailboxId])).rows

test('a mailbox that is granted is tried live and connected: its fence is proven, and one message went to itself', async () => {
  const { context, email, reached } = await makePlace()
  const { mailboxId } = await connect(context, { email: email.toUpperCase() })
  expect(reached).toEqual(['login', 'draft', 'fence', 'message'])
  expect(await read(context, mailboxId)).toMatchObject({
    ...{ address: email, kind: 'GMAIL', status: 'CONNECTED', rollingLimit: 2_000, smtp: null },
    gmail: { sends: 'drafts', readsSent: true },
  })
  const sent = fake.journal().filter((one) => one.event === 'sent' && one.email === email)
  expect(sent).toMatchObject([{ to: [email] }])
  expect(await secretsOf(mailboxId)).toEqual([{ field: 'gmail-access-token' }, { field: 'gmail-refresh-token' }])
  const { rows } = await db.pool.query<{ text: string }>(
    'SELECT c::text AS text FROM encrypted_credentials c WHERE owner_id = $1',
    [mailboxId],
  )
  expect(rows.map(({ text }) => text).join()).not.toMatch(/ya29/)
})

test('the way back from Google is open once, for a quarter of an hour, and only to who began it, where they began', async () => {
  const { context, email } = await makePlace()
  const answer = await consent(context, { email })
  const other = await makePlace()
  for (const stranger of [
    { ...context, personId: newId() },
    { ...context, workspaceId: other.context.workspaceId },
  ])
    await expect(finishGmail(stranger, answer)).rejects.toMatchObject({ status: 409, code: 'ask-not-known' })
  await expect(finishGmail(context, { ...answer, state: 'made up' })).rejects.toMatchObject({ code: 'ask-not-known' })
  await finishGmail(context, answer)
  // Loaded again while it was tried: what the first load does comes to its end, and this one cannot tell.
  await expect(finishGmail(context, answer)).rejects.toMatchObject({
    code: 'ask-not-known',
    message: expect.stringContaining('it may be connected by now'),
  })
  const late = await consent(other.context, { email: other.email })
  await db.travel('16 minutes')
  await expect(finishGmail(other.context, late)).rejects.toMatchObject({ code: 'ask-not-known' })
})

test('a code that was stolen on its way is of no use: the secret that belongs to it never left', async () => {
  const [thief, owner] = [await makePlace(), await makePlace()]
  const stolen = await consent(owner.context, { email: owner.email })
  const own = await consent(thief.context, { email: thief.email })
  await expect(finishGmail(thief.context, { state: own.state, code: stolen.code })).rejects.toMatchObject({
    status: 422,
    code: 'mailbox-test-failed',
  })
})

test('with permission to send alone it sends directly, and says so; with none, nothing is kept', async () => {
  const { context, email, reached } = await makePlace()
  await expect(connect(context, { email, scopes: [] })).rejects.toMatchObject({ status: 422 })
  const { mailboxId } = await connect(context, { email, wish: 'send' })
  expect(reached.slice(-2)).toEqual(['login', 'message'])
  expect(await read(context, mailboxId)).toMatchObject({ gmail: { sends: 'directly', readsSent: false } })
  // Unticked at Google's page.
  await connect(context, { email, mailboxId, scopes: [`${G}.compose`] })
  expect(await read(context, mailboxId)).toMatchObject({ gmail: { sends: 'drafts', readsSent: false } })
})

test('where Gmail should not fence as it does, the mailbox sends directly', async () => {
  const { context, email } = await makePlace()
  await fake.play({ isFenceBroken: true })
  const { mailboxId } = await connect(context, { email })
  expect(await read(context, mailboxId)).toMatchObject({ status: 'CONNECTED', gmail: { sends: 'directly' } })
  await fake.play({})
  expect(await testMailbox(context, mailboxId, { retryFailed: false })).toMatchObject({ test: { ok: true } })
  expect(await read(context, mailboxId)).toMatchObject({ gmail: { sends: 'drafts' } })
})

test('a live check that fails tells the step and Google’s words, and nothing is kept', async () => {
  const { context, email } = await makePlace()
  await fake.play({
    rules: [{ op: 'drafts.delete', answer: { status: 403, reason: 'domainPolicy', message: 'Not here' } }],
  })
  await expect(connect(context, { email })).rejects.toMatchObject({
    ...{ status: 422, code: 'mailbox-test-failed' },
    details: { step: 'fence', providerText: expect.stringMatching(/Not here/) },
  })
  const { rows } = await db.pool.query('SELECT FROM mailboxes WHERE address = $1', [email])
  expect(rows).toEqual([])
})

test('a mailbox is connected again by its own account and no other, and one of SMTP is not taken over', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  await expect(connect(context, { email: 'else@acme.test', mailboxId })).rejects.toMatchObject({
    message: expect.stringMatching(/signed in at Google as else@acme\.test/),
  })
  expect(await connect(context, { email })).toMatchObject({ mailboxId, revived: false })
  await expect(
    editMailbox(context, mailboxId, { smtp: { host: 'smtp.acme.test' }, test: false }),
  ).rejects.toMatchObject({
    code: 'mailbox-by-gmail',
  })
  await db.pool.query(`UPDATE mailboxes SET kind = 'SMTP' WHERE id = $1`, [mailboxId])
  await expect(connect(context, { email })).rejects.toMatchObject({ code: 'mailbox-exists' })
})

const addressed = (message: OutgoingMessage): OutgoingMessage => ({
  ...message,
  raw: Buffer.from(`To: ${message.envelope.to}\r\nSubject: Hello\r\n\r\nHello`),
})

test('permissions that were taken back stop the mailbox and cost one email; connected again, that one is started over and all go', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  const campaign = await makeCampaign(db.pool, { in: { workspaceId: context.workspaceId, mailboxIds: [mailboxId] } })
  await db.pool.query(
    'UPDATE sending_settings SET daily_quota = 1000, jitter_min_seconds = 0, jitter_max_seconds = 0 WHERE workspace_id = $1',
    [context.workspaceId],
  )
  await makeEmails(db.pool, campaign, 4)
  await fake.takeBack(email)
  const smtp = new TestProvider()
  const providers = { GMAIL: gmailProvider({ ...context, google: fake.google }) }
  const means = meansThrough(db.pool, smtp)
  // Gmail reads the recipient from the message itself.
  const prepare: typeof means.prepare = async (emails, kind) =>
    (await means.prepare(emails, kind)).map((one) =>
      one.kind === 'ready' ? { ...one, message: addressed(one.message) } : one,
    )
  const send = () => sendAll(db.pool, smtp, { means: { ...means, prepare, providers } })
  // The token that was just given is good no more, and is then renewed in vain.
  await send()
  await db.travel('2 minutes')
  await send()
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({
    ...{ PERMANENTLY_FAILED: 1, RETRY_SCHEDULED: 1, SCHEDULED: 2 },
  })
  expect(await read(context, mailboxId)).toMatchObject({
    status: 'STOPPED',
    trouble: { sentence: expect.stringMatching(/Connect the mailbox again/) },
  })
  expect(await connect(context, { email, mailboxId })).toMatchObject({ failedByLogin: 1 })
  expect(await testMailbox(context, mailboxId, { retryFailed: true })).toMatchObject({ test: { ok: true }, retried: 1 })
  await db.travel('1 minute')
  await send()
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 4 })
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaign.campaignId])
})

test('disconnecting forgets what opens it and gives the permission back, unless another workspace sends from the account', async () => {
  const [here, there] = [await makePlace(), await makePlace()]
  const { email } = here
  const first = await connect(here.context, { email })
  const second = await connect(there.context, { email })
  expect(await disconnectGmail(here.context, first.mailboxId)).toEqual({ revoked: false })
  expect(await read(here.context, first.mailboxId)).toMatchObject({ status: 'STOPPED', gmail: null })
  expect(await secretsOf(first.mailboxId)).toEqual([])
  expect(await testMailbox(there.context, second.mailboxId, { retryFailed: false })).toMatchObject({
    test: { ok: true },
  })
  expect(await disconnectGmail(there.context, second.mailboxId)).toEqual({ revoked: true })
  expect(fake.journal().filter((one) => one.event === 'revoked' && one.email === email)).toHaveLength(1)
})

test('a permission that came while another person disconnected the mailbox is not taken back with the old one', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  const pool = interleaved(db.pool, 'FROM gmail_accounts WHERE subject', () => connect(context, { email, mailboxId }))
  expect(await disconnectGmail({ ...context, pool }, mailboxId)).toEqual({ revoked: false })
  expect(await testMailbox(context, mailboxId, { retryFailed: false })).toMatchObject({ test: { ok: true } })
  expect(await read(context, mailboxId)).toMatchObject({ status: 'CONNECTED' })
})

test('a mailbox that is disconnected while it is connected again stays disconnected, and the person is told to begin again', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  const answer = await consent(context, { email, mailboxId })
  // After Google has given the new permission, and it was tried, and before it is kept.
  const pool = interleaved(db.pool, 'pg_advisory', () => disconnectGmail(context, mailboxId))
  await expect(finishGmail({ ...context, pool }, answer)).rejects.toMatchObject({
    ...{ status: 409, code: 'disconnected-meanwhile', message: expect.stringMatching(/Begin again/) },
  })
  expect(await secretsOf(mailboxId)).toEqual([])
  expect(await read(context, mailboxId)).toMatchObject({ status: 'STOPPED', gmail: null })
})

test('the lasting permission of an account is not kept for another one that has its address now', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  const { google, stop } = await withoutLasting(fake.google)
  try {
    // Of the same account, the permission from before still lasts.
    expect(await connect({ ...context, google: google('') }, { email, mailboxId })).toMatchObject({ mailboxId })
    await expect(connect({ ...context, google: google('another') }, { email, mailboxId })).rejects.toMatchObject({
      ...{ status: 422, message: expect.stringMatching(/no lasting permission/) },
    })
  } finally {
    await stop()
  }
  const { rows } = await db.pool.query('SELECT subject FROM gmail_accounts WHERE mailbox_id = $1', [mailboxId])
  expect(rows).not.toMatchObject([{ subject: 'another' }])
})

/** Before Google's tokens: what it gives no lasting permission with, as the account `subject` where one is named. */
async function withoutLasting(behind: Google): Promise<{ google: (subject: string) => Google; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const answer = await fetch(behind.tokenUrl, {
      ...{ method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    })
    const { refresh_token: _, id_token: idToken, ...tokens } = (await answer.json()) as Record<string, string>
    const claims = JSON.parse(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString())
    const sub = (request.url ?? '').slice(1) || claims.sub
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const told = { ...tokens, id_token: `${part({ alg: 'none' })}.${part({ ...claims, sub })}.` }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(told))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    google: (subject) => ({ ...behind, tokenUrl: `http://127.0.0.1:${port}/${subject}` }),
    stop: () => new Promise((ended) => server.close(() => ended())),
  }
}

test('removing gives the permission back as well, and the address comes back as the same mailbox', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  await removeMailbox(context, mailboxId, null)
  expect(await secretsOf(mailboxId)).toEqual([])
  expect(fake.journal().filter((one) => one.event === 'revoked' && one.email === email)).toHaveLength(1)
  expect(await connect(context, { email })).toMatchObject({ mailboxId, revived: true })
})

test('without a Google project nobody is sent anywhere, and a mailbox that is there waits without losing anything', async () => {
  const { context, email } = await makePlace()
  const { mailboxId } = await connect(context, { email })
  const without = { ...context, google: undefined }
  await expect(beginGmail(without, { wish: 'drafts' })).rejects.toMatchObject({ code: 'no-google-project' })
  const opened = await gmailProvider({ ...context, google: undefined }).open(mailboxId)
  expect(opened.ok && (await opened.transport.connect(1_000))).toMatchObject({
    outcome: { kind: 'retry', scope: 'mailbox', code: 'LOGIN_UNAVAILABLE' },
  })
})
