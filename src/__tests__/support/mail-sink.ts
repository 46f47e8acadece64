import { domainToASCII } from 'node:url'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll } from 'vitest'

export type TakenMail = { from: string; to: string[]; raw: Buffer }

/** A real SMTP server that takes everything and keeps the bytes, there from beforeAll to afterAll. */
export function mailSink(): { readonly port: number; readonly taken: TakenMail[] } {
  const taken: TakenMail[] = []
  let port = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
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
        callback()
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
  return {
    get port() {
      return port
    },
    taken,
  }
}

/** Libraries show domains in their own script; DNS and we do not. */
export function inDns(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}
