import { randomBytes } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { Contestant } from '../contestant.ts'
import { SINK_HOST } from './sink.ts'

/** As nodemailer's manual shows it, nothing kept and nothing known afterwards; a message like those of the product. */
export function nodemailerPool(connections: number, port: number): Contestant {
  return {
    name: `bare nodemailer pool, ${connections} connections`,
    async open(emails) {
      const transport = createTransport({
        host: SINK_HOST,
        port,
        ignoreTLS: true,
        pool: true,
        maxConnections: connections,
        maxMessages: Number.POSITIVE_INFINITY,
      })
      return {
        async run() {
          await Promise.all(Array.from({ length: emails }, (_, index) => transport.sendMail(messageTo(index))))
        },
        close: async () => transport.close(),
      }
    },
  }
}

function messageTo(index: number) {
  const unsubscribe = `http://bench.test/u/${randomBytes(49).toString('base64url')}`
  return {
    from: 'm1@bench.test',
    to: { name: 'Ada', address: `p${index}@example.test` },
    subject: 'Hello Ada',
    text: `A word about Acme.\n\n--\nBench Ltd, 1 Main Street, Springfield\nUnsubscribe: ${unsubscribe}\n`,
    headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}
