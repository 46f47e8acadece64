import { createServer } from 'node:net'
import { simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSystemMailer } from '#lib/mail/system-mailbox.ts'

const received: { recipients: string[]; raw: string }[] = []
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, session, callback) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      received.push({
        recipients: session.envelope.rcptTo.map((recipient) => recipient.address),
        raw: Buffer.concat(chunks).toString('utf8'),
      })
      callback()
    })
  },
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((done) => {
    const listening = server.listen(0, '127.0.0.1', () => {
      const address = listening.address()
      port = typeof address === 'object' && address ? address.port : 0
      done()
    })
  })
})
afterAll(() => new Promise<void>((done) => server.close(() => done())))

const mail = { to: 'max@example.com', subject: 'Grüße', text: 'Hello', html: '<p>Hello</p>' }
const mailer = (url: string) => createSystemMailer({ SYSTEM_MAIL_URL: url, SYSTEM_MAIL_FROM: 'sendonce@example.com' })

test('a mail goes to exactly the one address, from ours, and says that no person wrote it', async () => {
  expect(await mailer(`smtp://127.0.0.1:${port}`)(mail)).toEqual({ kind: 'accepted' })
  const [sent] = received
  const parsed = await simpleParser(sent?.raw ?? '')
  expect(sent?.recipients).toEqual(['max@example.com'])
  expect(parsed.from?.text).toBe('"Sendonce" <sendonce@example.com>')
  expect([parsed.subject, parsed.text?.trim()]).toEqual(['Grüße', 'Hello'])
  expect(parsed.headers.get('auto-submitted')).toBe('auto-generated')
})

test.each([
  'a@example.com, b@example.com',
  'a@example.com; b@example.com',
  'Group: a@example.com, b@example.com;',
  'a',
])('%j is not one address, and nothing is sent', async (to) => {
  const before = received.length
  expect(await mailer(`smtp://127.0.0.1:${port}`)({ ...mail, to })).toMatchObject({ kind: 'failed' })
  expect(received).toHaveLength(before)
})

test('a subject cannot bring headers of its own', async () => {
  await mailer(`smtp://127.0.0.1:${port}`)({ ...mail, subject: 'Hi\r\nBcc: spy@example.com' })
  const last = received.at(-1)
  expect(last?.recipients).toEqual(['max@example.com'])
  expect((await simpleParser(last?.raw ?? '')).bcc).toBeUndefined()
})

test('a password is not sent over a line that offers no encryption', async () => {
  const before = received.length
  const outcome = await mailer(`smtp://user:secret@127.0.0.1:${port}`)(mail)
  expect(outcome).toMatchObject({ kind: 'failed' })
  expect(JSON.stringify(outcome)).not.toContain('secret')
  expect(received).toHaveLength(before)
})

test('without a server, and without a mailbox at all, the outcome is a value', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => closed.once('listening', done))
  const address = closed.address()
  const free = typeof address === 'object' && address ? address.port : 0
  await new Promise((done) => closed.close(done))
  expect(await mailer(`smtp://127.0.0.1:${free}`)(mail)).toMatchObject({ kind: 'failed' })
  expect(await createSystemMailer({})(mail)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('not set'),
  })
})
