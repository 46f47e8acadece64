import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { breaksAfterTheDot, hangUp, isLockedOut, refusalFor } from './faults.ts'
import type { Store } from './store.ts'

/** Files of 25 MB, as the API takes them, are a third larger on their way. */
const MESSAGE_BYTES_MAX = 40 * 1024 * 1024

/**
 * Takes every mail from anyone on this machine, with any password or none, and delivers none of them. With faults, some
 * addresses are refused (faults.ts).
 */
export async function listenSmtp(store: Store, port: number, hasFaults: boolean): Promise<number> {
  const smtp = new SMTPServer({
    name: 'sendonce-catcher',
    size: MESSAGE_BYTES_MAX,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    onAuth: (auth, _session, done) => {
      if (!hasFaults || !isLockedOut(auth.username)) return done(null, { user: auth.username })
      done(Object.assign(new Error('5.7.8 Authentication failed'), { responseCode: 535 }))
    },
    onRcptTo: ({ address }, _session, done) => {
      const refusal = hasFaults ? refusalFor(address) : undefined
      done(refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null)
    },
    // Not announced: a client that sees it uses it, and then refuses a certificate that no authority signed.
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onData: async (stream, { envelope, id }, done) => {
      const refuse = (responseCode: number, why: string) => done(Object.assign(new Error(why), { responseCode }))
      try {
        const chunks: Buffer[] = []
        // An oversized mail is read to its end as well: the client hears the refusal only then.
        for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk)
        if (stream.sizeExceeded) return refuse(552, `The mail is larger than ${MESSAGE_BYTES_MAX} bytes`)
        if (hasFaults && envelope.rcptTo.some(({ address }) => breaksAfterTheDot(address))) return hangUp(smtp, id)
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        const to = envelope.rcptTo.map(({ address }) => address)
        done(null, `Caught as ${await store.add({ from, to }, Buffer.concat(chunks))}`)
      } catch (error) {
        refuse(451, error instanceof Error ? error.message : String(error))
      }
    },
  })
  // A client that vanishes is its own affair: what it had not finished was not stored.
  smtp.on('error', () => undefined)
  smtp.listen(port, '127.0.0.1')
  await once(smtp.server, 'listening')
  return (smtp.server.address() as AddressInfo).port
}
