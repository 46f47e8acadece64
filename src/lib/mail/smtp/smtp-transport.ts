import { connect as connectTcp, isIP, type Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { Deadline } from '#lib/mail/deadline.ts'
import type { Connecting, MailTransport } from '#lib/mail/transport.ts'
import { SmtpMailConnection } from './smtp-connection.ts'
import { Conversation, type OpeningStage } from './smtp-conversation.ts'
import { type OpeningFailure, whyNotOpened } from './smtp-opening-failure.ts'
import { refusedWith } from './smtp-refusal.ts'
import { secretsOf } from './smtp-reply.ts'
import type { SmtpServer } from './smtp-server.ts'

/** Why a connection did not come about, and how far it came. */
export type SmtpConnecting =
  | Extract<Connecting, { ok: true }>
  | (Extract<Connecting, { ok: false }> & { stage: OpeningStage })

/** A MailTransport that also says how far it came. */
export interface SmtpTransport extends MailTransport {
  connect(deadlineMs: number): Promise<SmtpConnecting>
}

const REPLY_BYTES_MAX = 64 * 1024

/** `now` is the database's clock, for what a server says about later; `reached` is told how far opening has come. */
export function createSmtpTransport(
  server: SmtpServer,
  now: () => Date,
  reached: (stage: OpeningStage) => void = () => undefined,
): SmtpTransport {
  return {
    async connect(deadlineMs) {
      const deadline = new Deadline(deadlineMs)
      reached('connection')
      const dialled = await dial(server, deadline)
      if (!dialled.ok)
        return failed({ stage: 'connection', error: dialled.error, reply: '', hasSpoken: false }, server, deadline, now)
      return open(server, dialled.socket, deadline, now, reached)
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

function open(
  server: SmtpServer,
  socket: Socket,
  deadline: Deadline,
  now: () => Date,
  reached: (stage: OpeningStage) => void,
): Promise<SmtpConnecting> {
  const { host, port, security, login, ca } = server
  const conversation = new Conversation(security === 'TLS', () => socket.destroyed, reached)
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
      const reply = 'response' in error ? conversation.lastReply : ''
      resolve(failed({ stage, error, reply, hasSpoken: socket.bytesRead > 0 }, server, deadline, now))
    }
    conversation.onTalkingOn = () => {
      const error = Object.assign(new Error('it asks on'), { code: 'EPROTOCOL', response: conversation.lastReply })
      setImmediate(() => fail(error))
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

function failed(
  failure: Omit<OpeningFailure, 'server' | 'isStalled'>,
  server: SmtpServer,
  deadline: Deadline,
  now: () => Date,
): SmtpConnecting {
  const { code, scope, ...more } = whyNotOpened({ ...failure, server, isStalled: deadline.wasSleptThrough() }, now())
  return { ok: false, stage: failure.stage, outcome: refusedWith(code, scope, more) }
}

function timeOut(): NodeJS.ErrnoException {
  return Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })
}
