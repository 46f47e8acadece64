import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { type Store, TooLarge } from './store.ts'
import type { Envelope } from './summary.ts'

export const MESSAGE_BYTES_MAX = 25 * 1024 * 1024

/** Takes every mail from anyone on this machine, with any password or none, and delivers none of them. */
export async function listenSmtp(store: Store, port: number) {
  const server = new SMTPServer({
    name: 'sendonce-catcher',
    size: MESSAGE_BYTES_MAX,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    onAuth: (auth, _session, done) => done(null, { user: auth.username }),
    // Not announced, because a client that sees it uses it and then refuses the certificate, which nobody vouches
    // for; a client that asks for it regardless gets it.
    hideSTARTTLS: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 500,
    onData: (stream, session, done) => {
      store.add(envelopeOf(session), stream).then(
        ({ id }) => done(null, `Caught as ${id}`),
        (error: Error) => done(refusal(error)),
      )
    },
  })
  // A client that vanishes is its own affair: what it had not finished was not stored.
  server.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

function envelopeOf({ envelope }: SMTPServerSession): Envelope {
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: envelope.rcptTo.map(({ address }) => address),
  }
}

function refusal(error: Error) {
  if (error instanceof TooLarge) return Object.assign(new Error(error.message), { responseCode: 552 })
  return Object.assign(new Error(`The catcher could not store the mail: ${error.message}`), { responseCode: 451 })
}
