import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, callback) {
    stream.on('end', () => callback(null))
    stream.resume()
  },
})
server.on('error', () => undefined)
server.listen(0, '127.0.0.1', () => process.send?.((server.server.address() as AddressInfo).port))
// The process that started it is gone.
process.on('disconnect', () => process.exit())
