import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isRetryableError, UNDECIDED_ERROR_CODES } from '#lib/email-scheduler/error-codes.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { createSmtpTransport } from '#lib/mail/smtp-transport.ts'
import type { MailConnection, OutgoingMessage } from '#lib/mail/transport.ts'
import {
  OFFERS,
  type PeerOptions,
  type PeerScript,
  type PeerStage,
  type PeerStep,
  type ScriptedPeer,
  startScriptedSmtp,
} from '#tests/support/scripted-smtp.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const LOGIN = { username: 'ann', password: 'correct horse' }
const SOON_MS = 400
const LONG_MS = 20_000

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** As when a machine is short of time: nothing of this process runs. */
function stallFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

let messages = 0
function message(body = 'Hello.\r\n', to = 'bob@example.test'): OutgoingMessage {
  messages += 1
  const messageId = `<${messages}@acme.test>`
  const raw = Buffer.from(`Message-ID: ${messageId}\r\nTo: ${to}\r\n\r\n${body}`)
  return { envelope: { from: 'ann@acme.test', to }, messageId, raw }
}

async function start(options: PeerOptions): Promise<ScriptedPeer> {
  const peer = await startScriptedSmtp(options)
  open.push(() => peer.close())
  return peer
}

function transportTo(peer: ScriptedPeer) {
  const server = { host: '127.0.0.1', addresses: ['127.0.0.1'], port: peer.port, login: LOGIN }
  return createSmtpTransport({ ...server, security: 'NONE' }, () => NOW)
}

async function connectTo(peer: ScriptedPeer): Promise<MailConnection> {
  const connecting = await transportTo(peer).connect(LONG_MS)
  if (!connecting.ok) throw new Error(`no connection: ${connecting.outcome.code}`)
  open.push(async () => connecting.connection.close())
  return connecting.connection
}

/** Outcome and ledger in one look; what the peer took must be neither denied nor claimed in vain. */
async function send(peer: ScriptedPeer, connection: MailConnection, deadlineMs = LONG_MS, outgoing = message()) {
  const outcome = await connection.submit(outgoing, deadlineMs)
  const copies = peer.accepted.filter(({ messageId }) => messageId === outgoing.messageId).length
  if (outcome.kind === 'accepted') expect(copies).toBe(1)
  if (outcome.kind === 'retry' || outcome.kind === 'rejected') expect(copies).toBe(0)
  if (outcome.kind === 'retry') expect(isRetryableError(outcome.code)).toBe(true)
  if (outcome.kind === 'rejected') expect(isRetryableError(outcome.code)).toBe(false)
  if (outcome.kind === 'unknown') expect(UNDECIDED_ERROR_CODES).toContain(outcome.code)
  return outcome
}

const brief = (outcome: SendOutcome) =>
  [outcome.kind, 'scope' in outcome ? outcome.scope : '', 'code' in outcome ? outcome.code : ''].join(' ').trim()

const STEPS = {
  close: { reply: '', ending: 'close' },
  reset: { reply: '', ending: 'reset' },
  hang: { reply: '', ending: 'hang' },
  421: { reply: '421 4.3.2 Closing', ending: 'close' },
  451: { reply: '451 Not now' },
  552: { reply: '552 Too much' },
  garbage: { reply: 'what is this' },
  unterminated: { reply: '250 Ok', unterminated: true, ending: 'close' },
} as const satisfies Record<string, PeerStep>

const LOST = 'retry message ECONNRESET'
const LATE = 'retry message ETIMEDOUT'
const NONSENSE = 'retry message BAD_REPLY'
const TOO_LARGE = 'rejected message MESSAGE_TOO_LARGE'
const GONE = 'unknown  CONNECTION_LOST_AFTER_DATA'
const SILENT = 'unknown  TIMEOUT_AFTER_DATA'
const UNCLEAR = 'unknown  BAD_FINAL_REPLY'
const CLOSING = 'retry message SERVICE_UNAVAILABLE'
const NOT_NOW = 'retry message TEMPORARY_FAILURE'

const EXPECTED: Record<'mail' | 'rcpt' | 'data' | 'body' | 'dot', Record<keyof typeof STEPS, string>> = {
  mail: {
    ...{ close: LOST, reset: LOST, hang: LATE, garbage: NONSENSE, unterminated: LOST },
    ...{ 421: 'retry mailbox SERVICE_UNAVAILABLE', 451: NOT_NOW, 552: TOO_LARGE },
  },
  rcpt: {
    ...{ close: LOST, reset: LOST, hang: LATE, garbage: NONSENSE, unterminated: LOST },
    ...{ 421: CLOSING, 451: 'retry recipient TEMPORARY_FAILURE', 552: 'rejected recipient INVALID_RECIPIENT' },
  },
  data: {
    ...{ close: LOST, reset: LOST, hang: LATE, garbage: NONSENSE, unterminated: LOST },
    ...{ 421: CLOSING, 451: NOT_NOW, 552: TOO_LARGE },
  },
  body: {
    ...{ close: GONE, reset: GONE, hang: SILENT, garbage: UNCLEAR, unterminated: UNCLEAR },
    ...{ 421: CLOSING, 451: NOT_NOW, 552: TOO_LARGE },
  },
  dot: {
    ...{ close: GONE, reset: GONE, hang: SILENT, garbage: UNCLEAR, unterminated: UNCLEAR },
    ...{ 421: CLOSING, 451: NOT_NOW, 552: TOO_LARGE },
  },
}

type Cell = { stage: PeerStage; name: keyof typeof STEPS; expected: string; pipelining: boolean; taken: boolean }

/** Where no answer tells, the server may or may not have taken it: both are tried, and the outcome must be the same. */
const cells: Cell[] = Object.entries(EXPECTED).flatMap(([stage, row]) =>
  Object.entries(row).flatMap(([name, expected]) =>
    [true, false].flatMap((pipelining) =>
      (stage === 'dot' && expected.startsWith('unknown') ? [false, true] : [false]).map(
        (taken) => ({ stage, name, expected, pipelining, taken }) as Cell,
      ),
    ),
  ),
)

describe('a server that breaks after the login', () => {
  test.each(cells)('at $stage with $name (pipelining $pipelining, taken $taken): $expected', async (cell) => {
    const { stage, name } = cell
    const step: PeerStep = { ...STEPS[name] }
    // Whoever answers in the middle of a message takes none of it, and closes.
    if (stage === 'body') step.ending ??= 'close'
    if (stage === 'dot') step.accepts = cell.taken
    const offers = OFFERS.filter((offer) => cell.pipelining || offer !== 'PIPELINING')
    const peer = await start({ offers, script: { [stage]: step } })
    const connection = await connectTo(peer)
    const outcome = await send(peer, connection, name === 'hang' ? SOON_MS : LONG_MS)
    expect(brief(outcome)).toBe(cell.expected)
    if (stage !== 'body' && stage !== 'dot') expect(peer.bodyBytes).toBe(0)
    expect(connection.isUsable()).toBe(['451', '552'].includes(String(name)) && stage !== 'body')
  })
})

const OPENING: Record<'banner' | 'ehlo' | 'auth', Record<keyof typeof STEPS, string>> = {
  banner: {
    ...{ close: 'retry mailbox ECONNRESET', reset: 'retry mailbox ECONNRESET', hang: 'retry mailbox ETIMEDOUT' },
    ...{ 421: 'retry mailbox SERVICE_UNAVAILABLE', 451: 'retry mailbox GREETING_REFUSED' },
    ...{ 552: 'retry mailbox GREETING_REFUSED', garbage: 'retry mailbox BAD_REPLY' },
    unterminated: 'retry mailbox ECONNRESET',
  },
  ehlo: {
    ...{ close: 'retry mailbox ECONNRESET', reset: 'retry mailbox ECONNRESET', hang: 'retry mailbox ETIMEDOUT' },
    ...{ 421: 'retry mailbox SERVICE_UNAVAILABLE', 451: 'retry mailbox GREETING_REFUSED' },
    ...{ 552: 'retry mailbox GREETING_REFUSED', garbage: 'retry mailbox BAD_REPLY' },
    unterminated: 'retry mailbox ECONNRESET',
  },
  auth: {
    ...{ close: 'retry mailbox ECONNRESET', reset: 'retry mailbox ECONNRESET', hang: 'retry mailbox ETIMEDOUT' },
    ...{ 421: 'retry mailbox SERVICE_UNAVAILABLE', 451: 'retry mailbox LOGIN_UNAVAILABLE' },
    ...{ 552: 'rejected mailbox AUTH_REVOKED', garbage: 'retry mailbox BAD_REPLY' },
    unterminated: 'retry mailbox ECONNRESET',
  },
}

describe('a server that breaks before the login is done', () => {
  const openings = Object.entries(OPENING).flatMap(([stage, row]) =>
    Object.entries(row).map(([name, expected]) => ({ stage, name, expected })),
  )
  test.each(openings)('at $stage with $name: $expected', async ({ stage, name, expected }) => {
    const peer = await start({ script: { [stage]: STEPS[name as keyof typeof STEPS] } })
    const connecting = await transportTo(peer).connect(name === 'hang' ? SOON_MS : LONG_MS)
    expect(connecting.ok ? 'connected' : brief(connecting.outcome)).toBe(expected)
    expect(peer.commands.some((command) => /^(MAIL|DATA)/.test(command))).toBe(false)
  })

  test.each([
    ['535 5.7.8 Wrong password', 'rejected mailbox AUTH_REVOKED'],
    ['534-5.7.9 Application-specific password required.\n534 5.7.9 Learn more', 'rejected mailbox AUTH_REVOKED'],
    ['530 5.7.0 Must issue a STARTTLS command first', 'rejected mailbox AUTH_REVOKED'],
    ['538 5.7.11 Encryption required', 'rejected mailbox AUTH_REVOKED'],
    ['454 4.7.0 Temporary authentication failure', 'retry mailbox LOGIN_UNAVAILABLE'],
    ['432 4.3.2 Concurrent connections limit exceeded', 'retry mailbox LOGIN_UNAVAILABLE'],
    ['504 5.5.4 Unrecognized authentication type', 'retry mailbox LOGIN_UNSUPPORTED'],
  ])('a login answered with %j: %s', async (reply, expected) => {
    const peer = await start({ script: { auth: { reply } } })
    const connecting = await transportTo(peer).connect(LONG_MS)
    expect(connecting.ok ? 'connected' : brief(connecting.outcome)).toBe(expected)
  })

  test('a server that offers no login is not sent the password', async () => {
    const peer = await start({ offers: ['PIPELINING'] })
    const connecting = await transportTo(peer).connect(LONG_MS)
    expect(connecting.ok ? 'connected' : brief(connecting.outcome)).toBe('retry mailbox LOGIN_UNSUPPORTED')
    expect(peer.commands).toEqual([expect.stringMatching(/^EHLO/)])
  })

  test('a password that the server repeats is kept nowhere', async () => {
    const encoded = Buffer.from(`\0${LOGIN.username}\0${LOGIN.password}`).toString('base64')
    const peer = await start({ script: { auth: { reply: `535 no: ${LOGIN.password} ${encoded}\u0000!` } } })
    const connecting = await transportTo(peer).connect(LONG_MS)
    expect(connecting).toMatchObject({ ok: false, outcome: { providerText: '535 no: [hidden] [hidden] !' } })
  })

  test('a port on which nobody listens', async () => {
    const peer = await startScriptedSmtp()
    await peer.close()
    const connecting = await transportTo(peer).connect(LONG_MS)
    expect(connecting.ok ? 'connected' : brief(connecting.outcome)).toBe('retry mailbox ECONNREFUSED')
  })
})

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

describe('a server that is late', () => {
  test('with its 354 gets none of the message, however long it waits', async () => {
    const peer = await start({ script: { data: { delayMs: 2 * SOON_MS } } })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, SOON_MS))).toBe(LATE)
    expect(connection.isUsable()).toBe(false)
    await sleep(3 * SOON_MS)
    expect(peer.bodyBytes).toBe(0)
    expect(peer.accepted).toEqual([])
  })

  test('is not only held to the timer: where the machine stalls as the go-ahead is read, nothing goes', async () => {
    // Without pipelining the go-ahead comes alone, and what is read in one turn of the loop is handled before its timers.
    const peer = await start({ offers: ['AUTH PLAIN'] })
    const connection = await connectTo(peer)
    const emit = Socket.prototype.emit as (...event: unknown[]) => boolean
    const stalling = vi.spyOn(Socket.prototype, 'emit').mockImplementation(function (
      this: Socket,
      ...event: unknown[]
    ) {
      if (event[0] === 'data' && String(event[1]).startsWith('354')) stallFor(SOON_MS)
      return emit.apply(this, event)
    })
    const outcome = await send(peer, connection, SOON_MS)
    stalling.mockRestore()
    expect(brief(outcome)).toBe(LATE)
    await sleep(50)
    expect(peer.bodyBytes).toBe(0)
  })

  test('with its final answer leaves the message unknown, and the connection is not used again', async () => {
    const peer = await start({ script: { dot: { delayMs: 2 * SOON_MS } } })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, SOON_MS))).toBe(SILENT)
    expect(brief(await connection.submit(message(), LONG_MS))).toBe(LOST)
    expect(peer.commands.filter((command) => command === 'DATA')).toHaveLength(1)
  })

  const large = () => message('x'.repeat(998).concat('\r\n').repeat(20_000))

  test('in the middle of a large message: the rest of it never leaves, however long it waits', async () => {
    const peer = await start({ offers: ['AUTH PLAIN'], script: { body: { pauseMs: 3 * SOON_MS } } })
    const connecting = vi.spyOn(Socket.prototype, 'connect')
    const connection = await connectTo(peer)
    const socket = connecting.mock.contexts[0] as Socket | undefined
    connecting.mockRestore()
    const outgoing = large()
    expect(brief(await send(peer, connection, SOON_MS, outgoing))).toBe(SILENT)
    // Not closed gently, which would go on to send what is still to be sent.
    expect(socket?.destroyed).toBe(true)
    await sleep(5 * SOON_MS)
    expect(peer.bodyBytes).toBeLessThan(outgoing.raw.byteLength)
    expect(peer.accepted).toEqual([])
  })

  test('and says yes before it has the whole message is not believed', async () => {
    const script = { body: { reply: '250 2.0.0 Ok', pauseMs: 3 * SOON_MS } }
    const peer = await start({ offers: ['AUTH PLAIN'], script })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, LONG_MS, large()))).toBe(UNCLEAR)
    expect(connection.isUsable()).toBe(false)
  })
})

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
    expect(brief(await submitted)).toBe(LOST)
  })
})

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
