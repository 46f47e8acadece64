import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { OFFERS, type PeerStep } from '#tests/support/mail/scripted-smtp.ts'
import {
  brief,
  LATE,
  LONG_MS,
  LOST,
  message,
  ofMailbox,
  SOON_MS,
  send,
  testPeers,
} from '#tests/support/mail/smtp-peers.ts'

const { start, connectTo } = testPeers()

describe('one connection for several messages', () => {
  test('is used again after each', async () => {
    const peer = await start({})
    const connection = await connectTo(peer)
    for (let count = 0; count < 5; count += 1) expect(brief(await send(peer, connection))).toBe('accepted')
    expect(peer.connections).toBe(1)
    expect(connection.isUsable()).toBe(true)
  })

  test.each([true, false])(
    'is reset after a refusal, and the next message goes (pipelining %s)',
    async (pipelining) => {
      const offers = OFFERS.filter((offer) => pipelining || offer !== 'PIPELINING')
      const peer = await start({ offers, script: { rcpt: [{ reply: '550 5.1.1 No such user' }] } })
      const connection = await connectTo(peer)
      expect(brief(await send(peer, connection))).toBe('rejected recipient HARD_BOUNCE')
      expect(brief(await send(peer, connection))).toBe('accepted')
      expect(peer.commands).toContain('RSET')
      expect(peer.connections).toBe(1)
    },
  )

  test('is given up where the reset fails', async () => {
    const peer = await start({ script: { rcpt: [{ reply: '550 5.1.1 No' }], rset: { reply: '', ending: 'close' } } })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection))).toBe('rejected recipient HARD_BOUNCE')
    expect(connection.isUsable()).toBe(false)
  })

  test('a server that takes DATA although it refused the recipient gets none of the message', async () => {
    const script = {
      rcpt: [{ reply: '550 5.1.1 No such user' }],
      data: { reply: '354 Go ahead' },
      dot: { accepts: false },
    }
    const peer = await start({ script })
    const outgoing = message()
    expect(brief(await send(peer, await connectTo(peer), SOON_MS, outgoing))).toBe('rejected recipient HARD_BOUNCE')
    expect(peer.bodyBytes).toBeLessThan(outgoing.raw.byteLength)
  })

  const ends: [string, PeerStep][] = [
    ['closes', { ending: 'close' }],
    ['says 421', { reply: '421 4.4.2 Idle for too long', ending: 'close' }],
    ['breaks', { delayMs: 50, ending: 'reset' }],
  ]
  test.each(ends)(
    'a server that accepts and then %s: accepted, and the end is noticed before the next',
    async (_, after) => {
      const peer = await start({ script: { after: [after] } })
      const connection = await connectTo(peer)
      expect(brief(await send(peer, connection))).toBe('accepted')
      await expect.poll(() => connection.isUsable()).toBe(false)
      expect(brief(await connection.submit(message(), LONG_MS))).toBe(LOST)
      expect(peer.accepted).toHaveLength(1)
    },
  )

  test.each([
    ['closes', ''],
    ['says 421 and closes', '421 4.7.0 Too many connections\r\n'],
    ['says what nobody asked for', '250 and more\r\n'],
  ])('a server that lets us in and then %s breaks its mailbox, and costs no email an attempt', async (_, last) => {
    const letsIn = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('220 hello\r\n')
      socket.on('data', (said) => {
        if (!/^AUTH/i.test(said.toString())) return void socket.write('250-hello\r\n250 AUTH PLAIN\r\n')
        socket.write('235 welcome\r\n')
        setTimeout(() => (last.startsWith('250') ? socket.write(last) : socket.end(last)), 50)
      })
    })
    await new Promise<void>((listening) => letsIn.listen(0, '127.0.0.1', listening))
    try {
      const connection = await connectTo({ port: (letsIn.address() as AddressInfo).port })
      await expect.poll(() => connection.isUsable()).toBe(false)
      expect(brief(await connection.submit(message(), LONG_MS))).toBe(ofMailbox(LOST))
    } finally {
      letsIn.close()
    }
  })

  test('a server that accepts and then is silent: the next message is known not to be sent', async () => {
    const peer = await start({ script: { after: { reply: '', ending: 'hang' } } })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection))).toBe('accepted')
    expect(brief(await send(peer, connection, SOON_MS))).toBe(LATE)
    expect(peer.accepted).toHaveLength(1)
  })

  test('two messages at once do not mix: the second is refused unsent', async () => {
    const peer = await start({})
    const connection = await connectTo(peer)
    const both = await Promise.all([connection.submit(message(), LONG_MS), connection.submit(message(), LONG_MS)])
    expect(both.map(brief)).toEqual(['accepted', LOST])
  })

  test('closed while a message is under way, it says what is known', async () => {
    const peer = await start({ script: { data: { reply: '', ending: 'hang' } } })
    const connection = await connectTo(peer)
    const submitted = connection.submit(message(), LONG_MS)
    connection.close()
    expect(brief(await submitted)).toBe(ofMailbox(LOST))
  })
})
