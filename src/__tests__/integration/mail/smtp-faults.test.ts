import { describe, expect, test } from 'vitest'
import {
  OFFERS,
  type PeerScript,
  type PeerStage,
  type PeerStep,
  startScriptedSmtp,
} from '#tests/support/mail/scripted-smtp.ts'
import {
  brief,
  CLOSING,
  GONE,
  LATE,
  LOGIN,
  LONG_MS,
  LOST,
  NONSENSE,
  NOT_NOW,
  ofMailbox,
  SILENT,
  SOON_MS,
  STEPS,
  send,
  TOO_LARGE,
  testPeers,
  UNCLEAR,
} from '#tests/support/mail/smtp-peers.ts'

const { start, transportTo, connectTo } = testPeers()

const EXPECTED: Record<'mail' | 'rcpt' | 'data' | 'body' | 'dot', Record<keyof typeof STEPS, string>> = {
  mail: {
    ...{ close: ofMailbox(LOST), reset: ofMailbox(LOST), hang: ofMailbox(LATE), garbage: ofMailbox(NONSENSE) },
    ...{ unterminated: LOST, 421: ofMailbox(CLOSING), 451: ofMailbox(NOT_NOW), 552: TOO_LARGE },
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
    // A server that answers in the middle of a message takes none of it, and closes.
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
    ...{ 552: 'retry mailbox LOGIN_REFUSED', garbage: 'retry mailbox BAD_REPLY' },
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
    ['530 5.7.0 Authentication required', 'rejected mailbox AUTH_REVOKED'],
    // To fail an email and blame the password would be wrong twice: with STARTTLS the same login is taken.
    ['530 5.7.0 Must issue a STARTTLS command first', 'retry mailbox ENCRYPTION_NEEDED'],
    ['538 5.7.11 Encryption required', 'retry mailbox ENCRYPTION_NEEDED'],
    ['454 4.7.0 Temporary authentication failure', 'retry mailbox LOGIN_UNAVAILABLE'],
    ['432 4.3.2 Concurrent connections limit exceeded', 'retry mailbox LOGIN_UNAVAILABLE'],
    ['504 5.5.4 Unrecognized authentication type', 'retry mailbox LOGIN_UNSUPPORTED'],
    ['550 5.7.1 Client host [192.0.2.7] blocked using zen.spamhaus.org', 'retry mailbox LOGIN_REFUSED'],
    ['554 5.7.1 Your IP address is on our block list', 'retry mailbox LOGIN_REFUSED'],
    ['535 5.7.0 Too many failures, your address 192.0.2.7 is blocked', 'retry mailbox LOGIN_REFUSED'],
    ['550 5.7.1 Account disabled', 'retry mailbox LOGIN_REFUSED'],
    ['550 Authentication failed', 'rejected mailbox AUTH_REVOKED'],
    ['550 5.7.8 Bad credentials', 'rejected mailbox AUTH_REVOKED'],
    ['501 5.5.2 Cannot decode', 'retry mailbox LOGIN_UNSUPPORTED'],
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

describe('the sentence about a connection that did not come about', () => {
  const sentenceFor = async (script: PeerScript) => {
    const peer = await start({ script })
    const connecting = await transportTo(peer).connect(SOON_MS)
    return connecting.ok ? 'connected' : connecting.outcome.reason
  }

  test('says that nothing was said only where nothing was', async () => {
    expect(await sentenceFor({ banner: STEPS.hang })).toMatch(/^127\.0\.0\.1 took the connection .* and said nothing\./)
  })

  const silences: [string, PeerScript][] = [
    ['after its greeting', { banner: { reply: '220 hello', ending: 'hang' } }],
    ['in the middle of its greeting', { banner: { reply: '220-hello', ending: 'hang' } }],
    ['after EHLO', { ehlo: STEPS.hang }],
    ['in the middle of its offer', { ehlo: { reply: '250-hello', ending: 'hang' } }],
    ['at the login', { auth: STEPS.hang }],
  ]
  test.each(silences)('says that a server stopped answering that fell silent %s', async (_, script) => {
    expect(await sentenceFor(script)).toMatch(/^127\.0\.0\.1 stopped answering before the login was done\./)
  })

  test('does not promise that it is tried again: it may be the test of a mailbox', async () => {
    for (const stage of ['banner', 'ehlo', 'auth'] as const)
      for (const step of Object.values(STEPS)) expect(await sentenceFor({ [stage]: step })).not.toMatch(/tried again/)
  })
})
