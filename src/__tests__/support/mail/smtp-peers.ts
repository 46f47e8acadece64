import { afterEach, expect } from 'vitest'
import { isRetryableError, UNDECIDED_ERROR_CODES } from '#lib/email-scheduler/error-codes.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { createSmtpTransport } from '#lib/mail/smtp/smtp-transport.ts'
import type { MailConnection, MailTransport, OutgoingMessage } from '#lib/mail/transport.ts'
import { type PeerOptions, type PeerStep, type ScriptedPeer, startScriptedSmtp } from './scripted-smtp.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
export const LOGIN = { username: 'ann', password: 'correct horse' }
export const SOON_MS = 1_000
export const LONG_MS = 20_000

export const STEPS = {
  close: { reply: '', ending: 'close' },
  reset: { reply: '', ending: 'reset' },
  hang: { reply: '', ending: 'hang' },
  421: { reply: '421 4.3.2 Closing', ending: 'close' },
  451: { reply: '451 Not now' },
  552: { reply: '552 Too much' },
  garbage: { reply: 'what is this' },
  unterminated: { reply: '250 Ok', unterminated: true, ending: 'close' },
} as const satisfies Record<string, PeerStep>

export const LOST = 'retry message ECONNRESET'
export const LATE = 'retry message ETIMEDOUT'
export const NONSENSE = 'retry message BAD_REPLY'
export const TOO_LARGE = 'rejected message MESSAGE_TOO_LARGE'
export const GONE = 'unknown  CONNECTION_LOST_AFTER_DATA'
export const SILENT = 'unknown  TIMEOUT_AFTER_DATA'
export const UNCLEAR = 'unknown  BAD_FINAL_REPLY'
export const CLOSING = 'retry message SERVICE_UNAVAILABLE'
export const NOT_NOW = 'retry message TEMPORARY_FAILURE'

/** Before the sender was accepted, nothing is about the email. */
export const ofMailbox = (outcome: string) => outcome.replace('message', 'mailbox')

let messages = 0
export function message(body = 'Hello.\r\n', to = 'bob@example.test'): OutgoingMessage {
  messages += 1
  const messageId = `<${messages}@acme.test>`
  const raw = Buffer.from(`Message-ID: ${messageId}\r\nTo: ${to}\r\n\r\n${body}`)
  return { envelope: { from: 'ann@acme.test', to }, messageId, raw }
}

type Peers = {
  start(options: PeerOptions): Promise<ScriptedPeer>
  transportTo(peer: Pick<ScriptedPeer, 'port'>): MailTransport
  connectTo(peer: Pick<ScriptedPeer, 'port'>): Promise<MailConnection>
}

/** Scripted peers of the calling test file, and ways to them: all closed after each test. */
export function testPeers(): Peers {
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })

  async function start(options: PeerOptions): Promise<ScriptedPeer> {
    const peer = await startScriptedSmtp(options)
    open.push(() => peer.close())
    return peer
  }

  function transportTo(peer: Pick<ScriptedPeer, 'port'>) {
    const server = { host: '127.0.0.1', addresses: ['127.0.0.1'], port: peer.port, login: LOGIN }
    return createSmtpTransport({ ...server, security: 'NONE' }, () => NOW)
  }

  async function connectTo(peer: Pick<ScriptedPeer, 'port'>): Promise<MailConnection> {
    const connecting = await transportTo(peer).connect(LONG_MS)
    if (!connecting.ok) throw new Error(`no connection: ${connecting.outcome.code}`)
    open.push(async () => connecting.connection.close())
    return connecting.connection
  }

  return { start, transportTo, connectTo }
}

/** Outcome and ledger in one look; what the peer took must be neither denied nor claimed in vain. */
export async function send(peer: ScriptedPeer, connection: MailConnection, deadlineMs = LONG_MS, outgoing = message()) {
  const outcome = await connection.submit(outgoing, deadlineMs)
  const copies = peer.accepted.filter(({ messageId }) => messageId === outgoing.messageId).length
  if (outcome.kind === 'accepted') expect(copies).toBe(1)
  if (outcome.kind === 'retry' || outcome.kind === 'rejected') expect(copies).toBe(0)
  if (outcome.kind === 'retry') expect(isRetryableError(outcome.code)).toBe(true)
  if (outcome.kind === 'rejected') expect(isRetryableError(outcome.code)).toBe(false)
  if (outcome.kind === 'unknown') expect(UNDECIDED_ERROR_CODES).toContain(outcome.code)
  return outcome
}

export const brief = (outcome: SendOutcome) =>
  [outcome.kind, 'scope' in outcome ? outcome.scope : '', 'code' in outcome ? outcome.code : ''].join(' ').trim()
