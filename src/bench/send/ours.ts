import pino from 'pino'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { createPool } from '#lib/platform/database.ts'
import { generateKey, readKeyring } from '#lib/platform/keyring.ts'
import type { OpenTransport } from '#lib/worker/connections.ts'
import { sendDue } from '#lib/worker/send-due.ts'
import { sendingMeans } from '#lib/worker/sending-means.ts'
import type { Contestant } from '../contestant.ts'
import type { BenchServer } from '../server.ts'
import { fillQueue } from './queue.ts'

const MAILBOXES = 10
const CAMPAIGNS = 4
const log = pino({ level: 'silent' })
let databases = 0

/** Everything that the product does for an email, but the network: claimed fairly, rendered, frozen, looked at, marked, settled. */
const instant: OpenTransport = async () => ({
  ok: true,
  transport: {
    connect: async () => ({
      ok: true,
      connection: {
        submit: async (message: OutgoingMessage): Promise<SendOutcome> => ({
          kind: 'accepted',
          messageId: message.messageId,
        }),
        isUsable: () => true,
        close: () => undefined,
      },
    }),
  },
})

export function sendonceDrain(server: BenchServer, connections: number): Contestant {
  return ours(server, `Sendonce, ${connections} in flight`, connections, instant)
}

function ours(server: BenchServer, name: string, connections: number, openTransport: OpenTransport): Contestant {
  return {
    name,
    async open(emails) {
      databases += 1
      const pool = createPool(await server.newDatabase(`ours_send_${databases}`, true), 10)
      await fillQueue(pool, { emails, mailboxes: MAILBOXES, campaigns: CAMPAIGNS })
      const keys = readKeyring(generateKey(new Date()))
      if (!keys.ok) throw new Error(keys.problem)
      const means = { ...sendingMeans(pool, keys.keyring, 'http://bench.test'), openTransport }
      return {
        async run() {
          const limits = { connections, leaseMs: 120_000, submitMsMax: 45_000, claimMsMax: 600_000 }
          const { sent } = await sendDue(pool, 'bench', log, means, limits)
          if (sent !== emails) throw new Error(`${sent} of ${emails} were sent`)
        },
        close: () => pool.end(),
      }
    },
  }
}
