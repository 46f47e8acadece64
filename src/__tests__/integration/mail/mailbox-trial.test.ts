import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import { type PeerOptions, type ScriptedPeer, startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

/** A test of a mailbox as a person watches it: step by step, up to a message that is accepted. */
const app = testApp()
let owner: Visitor
let peer: ScriptedPeer

beforeAll(async () => {
  owner = await setUp()
})
beforeEach(async () => {
  peer = await startScriptedSmtp()
  await app.db.pool.query('DELETE FROM rate_limits')
})
afterEach(() => peer.close())

type Line = {
  progress?: { step: string }
  status?: number
  answer?: { success: boolean; data?: unknown; error?: Failure }
}
type Failure = { code: string; message: string; details: { step: string; providerText: string | null } }

let count = 0

async function add(more: object = {}, smtp: object = {}): Promise<{ steps: string[]; last: Line }> {
  count += 1
  const { response } = await owner.call('POST', '/api/mailboxes', {
    headers: { accept: 'application/x-ndjson' },
    body: {
      address: `bea${count}@acme.test`,
      smtp: { host: '127.0.0.1', port: peer.port, security: 'NONE', username: 'bea', password: 'correct', ...smtp },
      ...more,
    },
  })
  const lines: Line[] = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { steps: lines.flatMap(({ progress }) => progress?.step ?? []), last: lines.at(-1) ?? {} }
}

async function behind(options: PeerOptions): Promise<void> {
  await peer.close()
  peer = await startScriptedSmtp(options)
}

describe('a test that is watched', () => {
  test('names each step as it comes to it, and ends with the whole answer', async () => {
    const { steps, last } = await add()
    expect(steps).toEqual(['name', 'connection', 'login'])
    expect(last).toMatchObject({ status: 201, answer: { success: true, data: { mailbox: { status: 'CONNECTED' } } } })
    expect(peer.accepted).toEqual([])
  })

  test('hands a message over to the person who asks, and to nobody else, where that is wished', async () => {
    const { steps, last } = await add({ testMessage: true })
    expect(steps).toEqual(['name', 'connection', 'login', 'message'])
    expect(last.status).toBe(201)
    expect(peer.accepted.map(({ from, to }) => [from, to])).toEqual([[`bea${count}@acme.test`, ['olga@example.com']]])
  })

  test('a sender that the server does not take fails at the message, in its own words, and nothing is kept', async () => {
    peer.setScript({ mail: { reply: '553 5.7.1 Sender address rejected: not owned by user' } })
    const { last } = await add({ testMessage: true })
    expect(last).toMatchObject({ status: 422, answer: { error: { code: 'mailbox-test-failed' } } })
    expect(last.answer?.error?.details).toMatchObject({
      step: 'message',
      providerText: expect.stringContaining('5.7.1'),
    })
    const { rows } = await app.db.pool.query('SELECT FROM mailboxes WHERE address = $1', [`bea${count}@acme.test`])
    expect(rows).toEqual([])
  })

  test('a certificate that does not fit fails at the encryption', async () => {
    const { cert, key } = makeCertificate({ name: 'other.test', hosts: ['other.test'] })
    await behind({ offers: ['STARTTLS'], tls: { cert, key } })
    const { steps, last } = await add({}, { security: 'STARTTLS' })
    expect(steps).toEqual(['name', 'connection', 'encryption'])
    expect(last.answer?.error?.details).toMatchObject({ step: 'encryption', code: 'CERTIFICATE_INVALID' })
  })

  test('a server that turns us away once it is encrypted fails at the login, before it at the connection', async () => {
    peer.setScript({ banner: { reply: '554 No' } })
    expect((await add()).last.answer?.error?.details).toMatchObject({ step: 'connection' })
  })

  test('what is refused before anything is tried is refused as always, with its own status', async () => {
    const { response } = await owner.call('POST', '/api/mailboxes', {
      headers: { accept: 'application/x-ndjson' },
      body: { address: 'not an address' },
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toContain('application/json')
  })

  test('one that came too often is told in the last line', async () => {
    await app.db.pool.query(`DELETE FROM rate_limits`)
    await add()
    await app.db.pool.query(`UPDATE rate_limits SET attempts = 1000`)
    expect((await add()).last).toMatchObject({ status: 429, answer: { error: { code: 'too-many-attempts' } } })
  })
})
