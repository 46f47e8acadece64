import { connect as connectTcp, isIP, type Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { Deadline } from './deadline.ts'
import { SmtpMailConnection } from './smtp-connection.ts'
import { Conversation, type OpeningStage } from './smtp-conversation.ts'
import { type OpeningFailure, whyNotOpened } from './smtp-opening-failure.ts'
import { refusedWith } from './smtp-refusal.ts'
import { secretsOf } from './smtp-reply.ts'
import type { Connecting, MailTransport } from './transport.ts'

/** TLS from the first byte, TLS after STARTTLS, or none at all: only for hosts that the environment allows. */
export const SMTP_SECURITIES = ['STARTTLS', 'TLS', 'NONE'] as const
export type SmtpSecurity = (typeof SMTP_SECURITIES)[number]

export type SmtpServer = {
  /** As a person wrote it: what the certificate is held to. */
  host: string
  /** Where it was found to be, and found to be harmless: what is connected to, and nothing else. */
  addresses: readonly string[]
  port: number
  security: SmtpSecurity
  login?: { username: string; password: string }
  /** Certificates to trust besides those of the system. */
  ca?: string
}

/** Why a connection did not come about, and how far it came. */
export type SmtpConnecting =
  | Extract<Connecting, { ok: true }>
  | (Extract<Connecting, { ok: false }> & { stage: OpeningStage })

/** A MailTransport that also says how far it came. */
export interface SmtpTransport extends MailTransport {
  connect(deadlineMs: number): Promise<SmtpConnecting>
}

const REPLY_BYTES_MAX = 64 * 1024

/** `now` is the database's clock, for what a server says about later. */
export function createSmtpTransport(server: SmtpServer, now: () => Date): SmtpTransport {
  return {
    async connect(deadlineMs) {
      const deadline = new Deadline(deadlineMs)
      const dialled = await dial(server, deadline)
      if (!dialled.ok) return failed({ stage: 'connection', error: dialled.error, reply: '' }, server, now)
      return open(server, dialled.socket, deadline, now)
    },
  }
}

type Dialled = { ok: true; socket: Socket } | { ok: false; error: NodeJS.ErrnoException }

/** Tries the addresses one after the other, each with its share of the time. */
async function dial({ addresses, port }: SmtpServer, deadline: Deadline): Promise<Dialled> {
  let last: Dialled = { ok: false, error: Object.assign(new Error('no address'), { code: 'ENOTFOUND' }) }
  for (const [index, address] of addresses.entries()) {
    last = await dialOne(address, port, deadline.leftMs() / (addresses.length - index))
    if (last.ok) return last
  }
  return last
}

function dialOne(host: string, port: number, timeoutMs: number): Promise<Dialled> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port, noDelay: true })
    const fail = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ ok: false, error })
    }
    const timer = setTimeout(() => fail(timeOut()), timeoutMs)
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve({ ok: true, socket })
    })
  })
}

function open(server: SmtpServer, socket: Socket, deadline: Deadline, now: () => Date): Promise<SmtpConnecting> {
  const { host, port, security, login, ca } = server
  const conversation = new Conversation(security === 'TLS')
  const leftMs = Math.max(1, deadline.leftMs())
  const smtp = new SMTPConnection({
    connection: socket,
    host,
    port,
    secure: security === 'TLS',
    // Also without a password: nobody on the way may take the offer of encryption out.
    requireTLS: security === 'STARTTLS',
    ignoreTLS: security === 'NONE',
    tls: { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) },
    logger: conversation.logger as never,
    transactionLog: true,
    maxResponseSize: REPLY_BYTES_MAX,
    // The deadline is ours; these only have to be no shorter.
    connectionTimeout: leftMs + 1_000,
    greetingTimeout: leftMs + 1_000,
  })
  return new Promise((resolve) => {
    let isOver = false
    const fail = (error: NodeJS.ErrnoException) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      const stage = conversation.openingStage
      socket.destroy()
      smtp.close()
      resolve(failed({ stage, error, reply: 'response' in error ? conversation.lastReply : '' }, server, now))
    }
    const succeed = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      const connection = new SmtpMailConnection({ smtp, socket, conversation, secrets: secretsOf(login), now })
      resolve({ ok: true, connection })
    }
    const broken = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    const timer = setTimeout(() => fail(timeOut()), leftMs)
    smtp.on('error', fail)
    smtp.on('end', () => setImmediate(broken))
    smtp.connect((error) => {
      if (error) return fail(error)
      if (!login) return succeed()
      conversation.openingStage = 'login'
      if (!smtp.allowsAuth) return fail(Object.assign(new Error('no login'), { code: 'ENOAUTH' }))
      smtp.login({ user: login.username, pass: login.password }, (refusal) => (refusal ? fail(refusal) : succeed()))
    })
  })
}

function failed(failure: Omit<OpeningFailure, 'server'>, server: SmtpServer, now: () => Date): SmtpConnecting {
  const { code, scope, ...more } = whyNotOpened({ ...failure, server }, now())
  return { ok: false, stage: failure.stage, outcome: refusedWith(code, scope, more) }
}

function timeOut(): NodeJS.ErrnoException {
  return Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })
}
