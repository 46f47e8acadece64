import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openTransport } from '#lib/mail/mailboxes/open-transport.ts'
import { NO_HOSTS_ALLOWED, readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import type { SmtpServer } from '#lib/mail/smtp/smtp-server.ts'
import { passwordOf, saveSmtpSettings } from '#lib/mail/smtp/smtp-settings.ts'
import { createSmtpTransport } from '#lib/mail/smtp/smtp-transport.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { storeCredential } from '#lib/tenancy/credentials/credentials.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import { startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { interleaved } from '#tests/support/server/interleaved.ts'

const DAY_MS = 86_400_000
const NOW = () => new Date('2026-03-01T12:00:00Z')
const LONG_MS = 20_000

const authority = makeCertificate({ name: 'Test Authority' })
const signed = (hosts: string[], more: { from?: Date; to?: Date } = {}) =>
  makeCertificate({ name: hosts[0] ?? '', hosts, signer: authority, ...more })
const good = signed(['mail.example.test'])

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Taken = { user: string; secure: boolean; body: string }

/** A server as it should be: encrypted, with a login, made by others. */
async function startServer(options: SMTPServerOptions = {}) {
  const taken: Taken[] = []
  const server = new SMTPServer({
    key: good.key,
    cert: good.cert,
    authMethods: ['PLAIN', 'LOGIN'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      password === 'correct horse' ? done(null, { user: username }) : done(new Error('Wrong password')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        taken.push({ user: String(session.user), secure: session.secure, body: Buffer.concat(chunks).toString() })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  open.push(() => new Promise((done) => server.close(() => done())))
  return { taken, port: (server.server.address() as AddressInfo).port }
}

const serverAt = (port: number, more: Partial<SmtpServer> = {}): SmtpServer => ({
  host: 'mail.example.test',
  addresses: ['127.0.0.1'],
  port,
  security: 'STARTTLS',
  login: { username: 'ann', password: 'correct horse' },
  ca: authority.cert,
  ...more,
})

async function connect(server: SmtpServer) {
  const connecting = await createSmtpTransport(server, NOW).connect(LONG_MS)
  if (connecting.ok) open.push(async () => connecting.connection.close())
  return connecting
}

const MESSAGE = {
  envelope: { from: 'ann@acme.test', to: 'bob@example.test' },
  messageId: '<1@acme.test>',
  raw: Buffer.from('Message-ID: <1@acme.test>\r\n\r\n.Dots\r\n..and\r\n.\r\nmore\r\n'),
}

describe('a server as it should be', () => {
  test.each([
    ['STARTTLS', {}],
    ['TLS', { secure: true }],
    ['STARTTLS', { authMethods: ['LOGIN'] }],
    ['STARTTLS', { authMethods: ['CRAM-MD5', 'PLAIN'] }],
  ] as const)(
    'takes a message over %s (%j), dots and all, and another on the same connection',
    async (security, options) => {
      const { port, taken } = await startServer(options as SMTPServerOptions)
      const connecting = await connect(serverAt(port, { security }))
      if (!connecting.ok) throw new Error(connecting.outcome.reason)
      for (let count = 0; count < 2; count += 1)
        expect(await connecting.connection.submit(MESSAGE, LONG_MS)).toMatchObject({
          ...{ kind: 'accepted', messageId: '<1@acme.test>' },
          providerText: expect.stringMatching(/^250/),
        })
      expect(connecting.connection.isUsable()).toBe(true)
      expect(taken).toEqual(Array(2).fill({ user: 'ann', secure: true, body: MESSAGE.raw.toString() }))
    },
  )

  test('sees an encrypted connection end while it is idle', async () => {
    const { port } = await startServer({ socketTimeout: 200 })
    const connecting = await connect(serverAt(port))
    if (!connecting.ok) throw new Error(connecting.outcome.reason)
    await expect.poll(() => connecting.connection.isUsable()).toBe(false)
    expect(await connecting.connection.submit(MESSAGE, LONG_MS)).toMatchObject({ kind: 'retry', code: 'ECONNRESET' })
  })
})

describe('a login that is refused', () => {
  test('is final for the mailbox, and says what to do', async () => {
    const { port } = await startServer()
    const wrong = await connect(serverAt(port, { login: { username: 'ann', password: 'wrong' } }))
    expect(wrong).toMatchObject({
      ok: false,
      stage: 'login',
      outcome: {
        kind: 'rejected',
        scope: 'mailbox',
        code: 'AUTH_REVOKED',
        reason: expect.stringContaining('password'),
      },
    })
  })
})

describe('encryption', () => {
  const expired = { from: new Date(Date.now() - 9 * DAY_MS), to: new Date(Date.now() - DAY_MS) }
  const early = { from: new Date(Date.now() + DAY_MS), to: new Date(Date.now() + 9 * DAY_MS) }
  const faults: [string, ReturnType<typeof makeCertificate>, Partial<SmtpServer>, RegExp][] = [
    ['has expired', signed(['mail.example.test'], expired), {}, /expired/],
    ['is not valid yet', signed(['mail.example.test'], early), {}, /not valid yet/],
    ['is for another host', signed(['other.example.test']), {}, /another name/],
    [
      'was signed by itself',
      makeCertificate({ name: 'mail.example.test', hosts: ['mail.example.test'] }),
      {},
      /vouches/,
    ],
    ['comes from an authority that nobody knows', good, { ca: undefined }, /certificate/i],
  ]
  describe.each(['STARTTLS', 'TLS'] as const)('over %s', (security) => {
    test.each(faults)(
      'with a certificate that %s is refused before the password is sent',
      async (_, certificate, more, words) => {
        const peer = await startScriptedSmtp({ tls: { ...certificate, implicit: security === 'TLS' } })
        open.push(() => peer.close())
        expect(await connect(serverAt(peer.port, { security, ...more }))).toMatchObject({
          ok: false,
          stage: 'encryption',
          outcome: {
            kind: 'retry',
            scope: 'mailbox',
            code: 'CERTIFICATE_INVALID',
            reason: expect.stringMatching(words),
          },
        })
        expect(peer.commands.some((command) => command.startsWith('AUTH'))).toBe(false)
      },
    )
  })

  test('is held to the address where the server has no name', async () => {
    const { port } = await startServer({ ...signed(['127.0.0.1']) })
    expect(await connect(serverAt(port, { host: '127.0.0.1' }))).toMatchObject({ ok: true })
    const { port: other } = await startServer()
    expect(await connect(serverAt(other, { host: '127.0.0.1' }))).toMatchObject({
      outcome: { code: 'CERTIFICATE_INVALID' },
    })
  })

  test('that is taken out of the offer on the way is asked for all the same, and nothing goes without', async () => {
    const peer = await startScriptedSmtp({ script: { starttls: { reply: '454 4.7.0 TLS not available' } } })
    open.push(() => peer.close())
    for (const login of [{ username: 'ann', password: 'correct horse' }, undefined]) {
      expect(await connect(serverAt(peer.port, { login }))).toMatchObject({
        ok: false,
        stage: 'encryption',
        outcome: { kind: 'retry', scope: 'mailbox', code: 'TLS_UNAVAILABLE' },
      })
    }
    expect(peer.commands.some((command) => /^(AUTH|MAIL)/.test(command))).toBe(false)
  })

  test('at the wrong port is explained', async () => {
    const plain = await startScriptedSmtp({})
    open.push(() => plain.close())
    expect(await connect(serverAt(plain.port, { security: 'TLS' }))).toMatchObject({
      stage: 'encryption',
      outcome: { kind: 'retry', code: 'TLS_FAILED', reason: expect.stringContaining('STARTTLS') },
    })
  })

  test('that breaks off half way is a failure to connect', async () => {
    const peer = await startScriptedSmtp({ tls: good, script: { starttls: { ending: 'close' } } })
    open.push(() => peer.close())
    expect(await connect(serverAt(peer.port))).toMatchObject({
      stage: 'encryption',
      outcome: { kind: 'retry', scope: 'mailbox', code: 'TLS_FAILED' },
    })
  })

  test('what was said before it counts for nothing after it', async () => {
    // A reply slipped in behind the one to STARTTLS would be taken for the server's own.
    const slipped = '220 Go ahead\n250-evil\n250 AUTH PLAIN'
    const peer = await startScriptedSmtp({ tls: good, script: { starttls: { reply: slipped } } })
    open.push(() => peer.close())
    const connecting = await connect(serverAt(peer.port))
    expect(connecting.ok).toBe(true)
    expect(peer.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(2)
  })
})

describe('the way out of a mailbox that is kept', () => {
  const db = testDatabase()
  const reading = readKeyring(`test:${randomBytes(32).toString('base64')}`)
  if (!reading.ok) throw new Error(reading.problem)
  const { keyring } = reading
  let workspaceId: string
  let mailboxId: string

  beforeAll(async () => {
    const made = await makeCampaign(db.pool)
    workspaceId = made.workspaceId
    mailboxId = made.mailboxId
  })

  const keep = async (settings: Parameters<typeof saveSmtpSettings>[3]) => {
    await saveSmtpSettings(db.pool, workspaceId, mailboxId, settings)
    await storeCredential(db.pool, keyring, passwordOf(workspaceId, mailboxId), 'correct horse')
  }

  test('without settings is none, and costs no email an attempt', async () => {
    expect(await openTransport(db.pool, keyring, mailboxId, { allowed: NO_HOSTS_ALLOWED })).toMatchObject({
      outcome: { kind: 'retry', scope: 'mailbox', code: 'MAILBOX_INCOMPLETE' },
    })
  })

  test('leads to its server, with its password', async () => {
    const { port, taken } = await startServer()
    await keep({ host: 'mail.example.test', port, security: 'STARTTLS', username: 'ann' })
    const opened = await openTransport(db.pool, keyring, mailboxId, {
      resolve: async () => ['127.0.0.1'],
      allowed: readAllowedHosts('127.0.0.1'),
      ca: authority.cert,
    })
    const connecting = opened.ok ? await opened.transport.connect(LONG_MS) : opened
    if (!connecting.ok) throw new Error(connecting.outcome.reason)
    expect(await connecting.connection.submit(MESSAGE, LONG_MS)).toMatchObject({ kind: 'accepted' })
    connecting.connection.close()
    expect(taken).toHaveLength(1)
  })

  test('is of one moment: an edit between reading server and password hands the new password to no old server', async () => {
    const offered: string[] = []
    const { port } = await startServer({
      onAuth: ({ username, password }, _session, done) => {
        offered.push(password ?? '')
        done(null, { user: username })
      },
    })
    await keep({ host: 'mail.example.test', port, security: 'STARTTLS', username: 'ann' })
    const pool = interleaved(db.pool, 'FROM encrypted_credentials', () =>
      storeCredential(db.pool, keyring, passwordOf(workspaceId, mailboxId), 'for another server'),
    )
    const opened = await openTransport(pool, keyring, mailboxId, {
      resolve: async () => ['127.0.0.1'],
      allowed: readAllowedHosts('127.0.0.1'),
      ca: authority.cert,
    })
    const connecting = opened.ok ? await opened.transport.connect(LONG_MS) : opened
    if (!connecting.ok) throw new Error(connecting.outcome.reason)
    connecting.connection.close()
    expect(offered).toEqual(['correct horse'])
  })

  test('leads where the name pointed when it was looked at, wherever it points later', async () => {
    const first = await startScriptedSmtp({ host: '127.0.0.1' })
    const second = await startScriptedSmtp({ host: '127.0.0.2', port: first.port })
    open.push(
      () => first.close(),
      () => second.close(),
    )
    await keep({ host: 'rebinding.example.test', port: first.port, security: 'NONE', username: 'ann' })
    let asked = 0
    const resolve = async () => {
      asked += 1
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    const opened = await openTransport(db.pool, keyring, mailboxId, { resolve, allowed: readAllowedHosts('127.0.0.1') })
    if (!opened.ok) throw new Error(opened.outcome.reason)
    for (let count = 0; count < 3; count += 1) {
      const connecting = await opened.transport.connect(LONG_MS)
      if (connecting.ok) connecting.connection.close()
      expect(connecting.ok).toBe(true)
    }
    expect([asked, first.connections, second.connections]).toEqual([1, 3, 0])
    // And the next tick, which asks again, is told that it leads inside.
    expect(
      await openTransport(db.pool, keyring, mailboxId, { resolve, allowed: readAllowedHosts('127.0.0.1') }),
    ).toMatchObject({ ok: false, outcome: { kind: 'retry', scope: 'mailbox', code: 'HOST_FORBIDDEN' } })
    expect(second.connections).toBe(0)
  })

  test('does without a key that was taken out, in words', async () => {
    const other = readKeyring(`other:${randomBytes(32).toString('base64')}`)
    if (!other.ok) throw new Error(other.problem)
    expect(await openTransport(db.pool, other.keyring, mailboxId, { allowed: NO_HOSTS_ALLOWED })).toMatchObject({
      outcome: { code: 'CREDENTIAL_UNREADABLE', reason: expect.stringContaining('ENCRYPTION_KEYS') },
    })
  })

  test('a time that the server names is counted by the database’s clock', async () => {
    const peer = await startScriptedSmtp({
      script: { auth: { reply: '454 4.7.0 Too many logins, try again in 10 minutes' } },
    })
    open.push(() => peer.close())
    await keep({ host: '127.0.0.1', port: peer.port, security: 'NONE', username: 'ann' })
    await db.travel('3 days')
    const opened = await openTransport(db.pool, keyring, mailboxId, { allowed: readAllowedHosts('127.0.0.1') })
    const connecting = opened.ok ? await opened.transport.connect(LONG_MS) : undefined
    if (!connecting || connecting.ok || connecting.outcome.kind !== 'retry') throw new Error('it should not connect')
    const { rows } = await db.pool.query<{ minutes: number }>(
      'SELECT round(extract(epoch FROM $1::timestamptz - app_now()) / 60)::int AS minutes',
      [connecting.outcome.notBefore],
    )
    expect(rows[0]?.minutes).toBe(10)
  })
})
