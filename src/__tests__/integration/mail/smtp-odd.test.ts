import { afterEach, describe, expect, test } from 'vitest'
import { createSmtpTransport } from '#lib/mail/smtp/smtp-transport.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import type { PeerScript, PeerStage, PeerStep } from '#tests/support/mail/scripted-smtp.ts'
import { brief, LOGIN, LONG_MS, NONSENSE, SOON_MS, send, testPeers } from '#tests/support/mail/smtp-peers.ts'

/** Servers that behave oddly around the greeting and the login, where nothing of an email may be lost or doubled by it. */
const { start, transportTo, connectTo } = testPeers()

const STAGES: PeerStage[] = ['banner', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'dot']
const USUAL: Partial<Record<PeerStage, string>> = {
  banner: '220 peer.test',
  ehlo: '250-peer.test\n250 AUTH PLAIN',
  auth: '235 2.7.0 Accepted',
  mail: '250 2.1.0 Ok',
  rcpt: '250 2.1.5 Ok',
  data: '354 Go ahead',
  dot: '250 2.0.0 Queued',
}
/** Every reply in another shape. */
const throughout = (shape: (reply: string) => PeerStep): PeerScript =>
  Object.fromEntries(STAGES.map((stage) => [stage, shape(USUAL[stage] ?? '')]))

const opened = async (script: PeerScript, deadlineMs = LONG_MS) => {
  const peer = await start({ script })
  const connecting = await transportTo(peer).connect(deadlineMs)
  if (connecting.ok) connecting.connection.close()
  return { peer, said: connecting.ok ? 'connected' : brief(connecting.outcome), connecting }
}

describe('a reply', () => {
  test('may end with LF alone, in every place', async () => {
    const peer = await start({ script: throughout((reply) => ({ reply, lineEnd: '\n' })) })
    expect(brief(await send(peer, await connectTo(peer)))).toBe('accepted')
  })

  test('that ends with CR alone never ends', async () => {
    expect((await opened({ banner: { reply: '220 hello', lineEnd: '\r' } }, SOON_MS)).said).toBe(
      'retry mailbox ETIMEDOUT',
    )
  })

  test('may hold NUL, and nothing of ours does', async () => {
    const peer = await start({ script: throughout((reply) => ({ reply: reply.replace(/$/gm, '\0 and\0 more') })) })
    const outcome = await send(peer, await connectTo(peer))
    expect(outcome).toMatchObject({ kind: 'accepted', providerText: expect.not.stringContaining('\0') })
    const refused = await opened({ auth: { reply: '535 5.7.8 no\0\0!' } })
    expect(refused.connecting).toMatchObject({ outcome: { code: 'AUTH_REVOKED', providerText: '535 5.7.8 no  !' } })
  })

  test('with NUL before its code is none', async () => {
    expect((await opened({ banner: { reply: '\x120 hello' } })).said).toBe('retry mailbox BAD_REPLY')
  })

  test.each([
    ['in one line', `220 ${'x'.repeat(10_000_000)}`],
    ['in lines', `${'220-hello, and welcome\n'.repeat(450_000)}220 done`],
  ])('of ten megabytes %s is not listened to', async (_, reply) => {
    expect((await opened({ banner: { reply } })).said).toBe('retry mailbox BAD_REPLY')
  })

  test('that comes twice lets nothing go', async () => {
    const peer = await start({ script: { mail: { reply: '250 Ok\n250 Ok' } } })
    expect(brief(await send(peer, await connectTo(peer)))).toBe(NONSENSE)
    expect([peer.bodyBytes, peer.accepted]).toEqual([0, []])
  })

  // Each stands for an answer to what has not been asked yet.
  test.each([1, 2, 3, 4])('that comes ahead with the login lets nothing go: %i of them', async (ahead) => {
    const early = ['250 Ok', '250 Ok', '354 Go ahead', '250 Queued'].slice(0, ahead).join('\n')
    const peer = await start({ script: { auth: { reply: `235 Accepted\n${early}` } } })
    const connecting = await transportTo(peer).connect(LONG_MS)
    if (connecting.ok) {
      const outcome = await send(peer, connecting.connection)
      expect(outcome).toMatchObject({ kind: 'retry' })
      expect(connecting.connection.isUsable()).toBe(false)
    }
    expect(peer.accepted).toEqual([])
  })
})

describe('a login', () => {
  test('goes by HELO where EHLO is not known', async () => {
    const peer = await start({ script: { ehlo: [{ reply: '502 5.5.1 What?' }, { reply: '250 peer.test' }] } })
    expect(brief(await send(peer, await connectTo(peer)))).toBe('accepted')
    expect(peer.commands.slice(0, 2)).toEqual([expect.stringMatching(/^EHLO/), expect.stringMatching(/^HELO/)])
  })

  test('with one question more is answered, and the server decides', async () => {
    const peer = await start({ script: { auth: [{ reply: '334 ' }, { reply: '235 Accepted' }] } })
    expect(brief(await send(peer, await connectTo(peer)))).toBe('accepted')
  })

  test('that is asked for without end is given up long before its time is over', async () => {
    const { peer, said } = await opened({ auth: { reply: '334 VXNlcm5hbWU6' } })
    expect(said).toBe('retry mailbox BAD_REPLY')
    expect(peer.commands.length).toBeLessThan(30)
  })

  test('is not kept busy by replies that come in thousands', async () => {
    const { peer, said } = await opened({ auth: { reply: Array(100_000).fill('334 VXNlcm5hbWU6').join('\n') } })
    expect(said).toBe('retry mailbox BAD_REPLY')
    expect(peer.commands.length).toBeLessThan(30)
  })
})

describe('behind STARTTLS', () => {
  const open: (() => void)[] = []
  afterEach(() => {
    for (const close of open.splice(0)) close()
  })
  const authority = makeCertificate({ name: 'Test Authority' })
  const tls = makeCertificate({ name: 'mail.example.test', hosts: ['mail.example.test'], signer: authority })
  const through = async (ehlo: PeerStep[], auth?: PeerStep) => {
    const peer = await start({ tls, script: { ehlo, ...(auth && { auth }) } })
    const server = { host: 'mail.example.test', addresses: ['127.0.0.1'], port: peer.port, login: LOGIN }
    const safely = { ...server, security: 'STARTTLS', ca: authority.cert } as const
    const connecting = await createSmtpTransport(safely, () => new Date()).connect(LONG_MS)
    const { connection } = connecting.ok ? connecting : {}
    if (connection) open.push(() => connection.close())
    return { peer, said: connecting.ok ? 'connected' : brief(connecting.outcome), connection }
  }
  const clear = (auth: string): PeerStep => ({ reply: `250-peer.test\n250-STARTTLS${auth}\n250 8BITMIME` })

  test.each([
    ['PLAIN before, LOGIN after', '\n250-AUTH PLAIN', 'AUTH LOGIN', /^AUTH LOGIN$/],
    ['LOGIN before, PLAIN after', '\n250-AUTH LOGIN', 'AUTH PLAIN', /^AUTH PLAIN /],
    ['none before, PLAIN after', '', 'AUTH PLAIN', /^AUTH PLAIN /],
  ])('the login is the one that is offered there: %s', async (_, before, after, command) => {
    const { peer, said, connection } = await through([clear(before), { reply: `250-peer.test\n250 ${after}` }])
    expect(said).toBe('connected')
    expect(peer.commands.filter((each) => each.startsWith('AUTH'))).toEqual([expect.stringMatching(command)])
    if (connection) expect(brief(await send(peer, connection))).toBe('accepted')
  })

  test('no password is sent where a login is no longer offered', async () => {
    const { peer, said } = await through([clear('\n250-AUTH PLAIN'), { reply: '250-peer.test\n250 8BITMIME' }])
    expect(said).toBe('retry mailbox LOGIN_UNSUPPORTED')
    expect(peer.commands.some((each) => each.startsWith('AUTH'))).toBe(false)
  })

  test('what was offered before it is not used after it', async () => {
    const { peer, said, connection } = await through([
      { reply: '250-peer.test\n250-STARTTLS\n250-SMTPUTF8\n250-SIZE 10\n250 AUTH PLAIN' },
      { reply: '250-peer.test\n250 AUTH PLAIN' },
    ])
    expect(said).toBe('connected')
    // The limit of ten bytes was said in the clear, by whomever.
    if (connection) expect(brief(await send(peer, connection))).toBe('accepted')
  })
})
