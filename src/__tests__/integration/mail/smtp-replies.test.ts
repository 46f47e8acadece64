import { describe, expect, test } from 'vitest'
import { OFFERS, type PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import {
  brief,
  GONE,
  LONG_MS,
  LOST,
  message,
  NONSENSE,
  ofMailbox,
  SOON_MS,
  send,
  TOO_LARGE,
  testPeers,
  UNCLEAR,
} from '#tests/support/mail/smtp-peers.ts'

const { start, connectTo } = testPeers()

describe('replies in unusual shapes', () => {
  const shapes: [string, PeerScript][] = [
    ['in several lines', { mail: { reply: '250-2.1.0 Ok\n250-and\n250 so on' }, dot: { reply: '250-2.0.0 a\n250 b' } }],
    ['byte by byte', { mail: { pieces: 1 }, rcpt: { pieces: 1 }, data: { pieces: 1 }, dot: { pieces: 1 } }],
    ['in several lines, byte by byte', { dot: { reply: '250-2.0.0 a\n250 b', pieces: 1 } }],
  ]
  test.each(shapes)('%s are read as what they are', async (_, script) => {
    const peer = await start({ script })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection))).toBe('accepted')
    expect(brief(await send(peer, connection))).toBe('accepted')
  })

  test('a final answer that never ends is no answer', async () => {
    const peer = await start({ script: { dot: { reply: '250-2.0.0 a\n250-b', ending: 'close' } } })
    expect(brief(await send(peer, await connectTo(peer)))).toBe(GONE)
  })

  test('yes to everything in one breath, before anything was handed over, is not believed', async () => {
    const offers = OFFERS.filter((offer) => offer !== 'PIPELINING')
    const early = '250 Ok\n250 Ok\n354 Go\n250 Queued'
    const peer = await start({ offers, script: { mail: { reply: early, ending: 'hang' } } })
    expect(brief(await send(peer, await connectTo(peer)))).toBe(NONSENSE)
  })

  test.each([
    ['250- followed by 550', '250-2.0.0 Ok\n550 5.0.0 No'],
    ['550- followed by 250', '550-5.0.0 No\n250 2.0.0 Ok'],
    ['250- followed by 451', '250-2.0.0 Ok\n451 4.0.0 Later'],
    ['a yes with a line that is no reply', '250-2.0.0 Ok\nwhat is this'],
  ])('a final answer that contradicts itself is neither yes nor no: %s', async (_, reply) => {
    for (const accepts of [true, false]) {
      const peer = await start({ script: { dot: { reply, accepts } } })
      const connection = await connectTo(peer)
      expect(brief(await send(peer, connection))).toBe(UNCLEAR)
      expect(connection.isUsable()).toBe(false)
    }
  })

  test.each(['mail', 'rcpt', 'data'] as const)(
    'an answer to %s that contradicts itself lets nothing go',
    async (stage) => {
      const reply = stage === 'data' ? '354-Go ahead\n550 No' : '250-Ok\n550 No'
      const peer = await start({ script: { [stage]: { reply } } })
      const expected = stage === 'mail' ? ofMailbox(NONSENSE) : NONSENSE
      expect(brief(await send(peer, await connectTo(peer), SOON_MS))).toBe(expected)
      expect(peer.bodyBytes).toBe(0)
    },
  )

  test.each(['mail', 'rcpt', 'data'] as const)(
    'a server that closes in the middle of its answer to %s is said to have closed',
    async (stage) => {
      for (const ending of ['close', 'reset'] as const) {
        const peer = await start({ script: { [stage]: { reply: '25', unterminated: true, ending } } })
        expect(brief(await send(peer, await connectTo(peer)))).toBe(stage === 'mail' ? ofMailbox(LOST) : LOST)
      }
    },
  )

  const ends: [string, PeerScript][] = [
    ['closes', { data: { reply: '354 Go', ending: 'close' } }],
    ['breaks', { data: { reply: '354 Go', ending: 'reset' } }],
  ]
  test.each(ends)('a server that says 354 and %s is not said to speak something else than SMTP', async (_, script) => {
    const peer = await start({ script })
    const outcome = await send(peer, await connectTo(peer))
    expect([LOST, GONE]).toContain(brief(outcome))
  })

  test('250 in place of 354 lets nothing go', async () => {
    const peer = await start({ script: { data: { reply: '250 Ok' } } })
    expect(brief(await send(peer, await connectTo(peer)))).toBe(NONSENSE)
    expect(peer.bodyBytes).toBe(0)
  })
})

test.each(['a\0b', `${'a'.repeat(300)}`, 'ä'])(
  'a name that a server gives the message and that cannot be kept is not taken: %j',
  async (name) => {
    const peer = await start({ script: { dot: { reply: `250 2.0.0 OK <${name}@x.prod.outlook.com>` } } })
    const outgoing = message()
    expect(await send(peer, await connectTo(peer), LONG_MS, outgoing)).toMatchObject({
      kind: 'accepted',
      messageId: outgoing.messageId,
    })
  },
)

describe('what the server cannot take is refused before it is asked', () => {
  const without = (offer: string) => ({ offers: OFFERS.filter((each) => each.split(' ')[0] !== offer) })
  test('letters beyond ASCII without SMTPUTF8', async () => {
    const peer = await start(without('SMTPUTF8'))
    const outcome = await send(peer, await connectTo(peer), LONG_MS, message('x\r\n', 'jürgen@example.test'))
    expect(brief(outcome)).toBe('rejected recipient SMTPUTF8_UNSUPPORTED')
  })
  test('8-bit text without 8BITMIME', async () => {
    const peer = await start(without('8BITMIME'))
    const outcome = await send(peer, await connectTo(peer), LONG_MS, message('Grüße\r\n'))
    expect(brief(outcome)).toBe('rejected message EIGHT_BIT_UNSUPPORTED')
  })
  test('more than SIZE allows', async () => {
    const peer = await start({ offers: ['SIZE 100', 'AUTH PLAIN'] })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, LONG_MS, message('x'.repeat(200))))).toBe(TOO_LARGE)
    expect(connection.isUsable()).toBe(true)
    expect(peer.commands.some((command) => command.startsWith('MAIL'))).toBe(false)
  })
  test.each(['a@x.test,b@x.test', 'a@x.test>\r\nRCPT TO:<b@x.test', ''])('%j, which is not one address', async (to) => {
    const peer = await start({})
    expect(brief(await send(peer, await connectTo(peer), LONG_MS, message('x\r\n', to)))).toBe(
      'rejected recipient INVALID_RECIPIENT',
    )
  })
  test('and where it offers them, they go', async () => {
    const peer = await start({})
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, LONG_MS, message('Grüße\r\n', 'jürgen@example.test')))).toBe('accepted')
    expect(peer.commands).toContainEqual(
      expect.stringMatching(/^MAIL FROM:<ann@acme.test> SMTPUTF8 BODY=8BITMIME SIZE=/),
    )
  })
})
