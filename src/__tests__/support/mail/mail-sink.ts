import { domainToASCII } from 'node:url'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll } from 'vitest'

export type TakenMail = { from: string; to: string[]; raw: Buffer }

export type MailSink = {
  readonly port: number
  readonly taken: TakenMail[]
  /** While true, it reads a message to its end and then asks to come back later. */
  isBusy: boolean
  /** Addresses that it does not know. */
  readonly unknown: Set<string>
}

/** A real SMTP server that takes everything and keeps the bytes, there from beforeAll to afterAll. */
export function mailSink(): MailSink {
  const taken: TakenMail[] = []
  let port = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onRcptTo({ address }, _session, callback) {
      const refusal = Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 })
      callback(sink.unknown.has(inDns(address)) ? refusal : null)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        taken.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => inDns(address)),
          raw: Buffer.concat(chunks),
        })
        callback(sink.isBusy ? Object.assign(new Error('4.3.2 Come back later'), { responseCode: 451 }) : null)
      })
    },
  })
  beforeAll(async () => {
    await new Promise<void>((done) => {
      const listening = server.listen(0, '127.0.0.1', () => {
        const address = listening.address()
        port = typeof address === 'object' && address ? address.port : 0
        done()
      })
    })
  })
  afterAll(() => new Promise<void>((done) => server.close(() => done())))
  const sink: MailSink = {
    get port() {
      return port
    },
    taken,
    isBusy: false,
    unknown: new Set(),
  }
  return sink
}

/** Libraries show domains in their own script; DNS and we do not. */
export function inDns(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}
