import type pg from 'pg'
import pino from 'pino'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { openTransport, smtpProvider } from '#lib/mail/mailboxes/open-transport.ts'
import type { Provider } from '#lib/mail/provider.ts'
import { readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { createPool } from '#lib/platform/database.ts'
import { generateKey, type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { sendDue } from '#lib/worker/send-due.ts'
import type { Contestant } from '../contestant.ts'
import type { BenchServer } from '../server.ts'
import { fillQueue } from './queue.ts'
import { SINK_HOST } from './sink.ts'

const MAILBOXES = 10
const CAMPAIGNS = 4
const log = pino({ level: 'silent' })
let databases = 0

/** Everything that the product does for an email, but the network: claimed fairly, rendered, frozen, looked at, marked, settled. */
const instant: Provider['open'] = async () => ({
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
  return ours(server, `Sendonce, ${connections} in flight`, { connections, mailboxes: MAILBOXES }, () => instant)
}

/** Over real connections, as many as may be in flight: of one mailbox, since each mailbox has connections of its own. */
export function sendonceSmtp(server: BenchServer, connections: number, port: number): Contestant {
  const allowed = readAllowedHosts(SINK_HOST)
  return ours(
    server,
    `Sendonce, ${connections} connections`,
    { connections, mailboxes: 1, smtpPort: port },
    (pool, keyring) => {
      return (mailboxId) => openTransport(pool, keyring, mailboxId, { allowed })
    },
  )
}

type Shape = { connections: number; mailboxes: number; smtpPort?: number }

function ours(
  server: BenchServer,
  name: string,
  { connections, mailboxes, smtpPort }: Shape,
  transportBy: (pool: pg.Pool, keyring: Keyring) => Provider['open'],
): Contestant {
  return {
    name,
    async open(emails) {
      databases += 1
      const pool = createPool(await server.newDatabase(`ours_send_${databases}`, true), 10)
      const { mailboxIds, workspaceId } = await fillQueue(pool, { emails, mailboxes, campaigns: CAMPAIGNS })
      if (smtpPort !== undefined)
        await pool.query(
          `INSERT INTO smtp_settings (mailbox_id, workspace_id, host, port, security) SELECT id, $2, $3, $4, 'NONE' FROM unnest($1::uuid[]) id`,
          [mailboxIds, workspaceId, SINK_HOST, smtpPort],
        )
      const keys = readKeyring(generateKey(new Date()))
      if (!keys.ok) throw new Error(keys.problem)
      const { keyring } = keys
      const means = sendingMeans(pool, keyring, 'http://bench.test')
      const open = transportBy(pool, keyring)
      const providers = { SMTP: { ...smtpProvider(pool, keyring), open } }
      return {
        async run() {
          const time = new Deadline(600_000)
          const limits = { connections, leaseMs: 120_000, submitMsMax: 45_000, time, beginning: time }
          const { sent } = await sendDue(pool, 'bench', log, { ...means, providers }, limits)
          if (sent !== emails) throw new Error(`${sent} of ${emails} were sent`)
        },
        close: () => pool.end(),
      }
    },
  }
}
