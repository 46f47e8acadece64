import { createSmtpTransport } from '#lib/mail/smtp/smtp-transport.ts'

/** Submits one message in a process of its own, which may be stopped and continued, and tells the outcome. */
const [port = '', deadlineMs = ''] = process.argv.slice(2)
const server = { host: '127.0.0.1', addresses: ['127.0.0.1'], port: Number(port), security: 'NONE' } as const
const connecting = await createSmtpTransport(server, () => new Date()).connect(10_000)
if (!connecting.ok) throw new Error(connecting.outcome.reason)
const message = {
  envelope: { from: 'ann@acme.test', to: 'bob@example.test' },
  messageId: '<1@acme.test>',
  raw: Buffer.from('Message-ID: <1@acme.test>\r\n\r\nHello.\r\n'),
}
const outcome = await connecting.connection.submit(message, Number(deadlineMs))
process.send?.(outcome, () => process.exit(0))
