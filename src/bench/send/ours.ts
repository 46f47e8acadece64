import type pg from 'pg'
import pino from 'pino'
import type { DispatchSettings } from '#lib/dispatch/check-dispatch.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { openTransport, smtpProvider } from '#lib/mail/mailboxes/open-transport.ts'
import type { Provider } from '#lib/mail/provider.ts'
import { readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { createPool } from '#lib/platform/database.ts'
import { generateKey, type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { senderOf } from '#lib/wiring/sender.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
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

/** From the database straight to the provider, or through a broker. */
export function sendonceDrain(server: BenchServer, connections: number, dispatch?: DispatchSettings): Contestant {
  const name = `Sendonce, ${connections} in flight${dispatch ? `, by ${dispatch.DISPATCH}` : ''}`
  return ours(server, name, { connections, mailboxes: MAILBOXES, ...(dispatch && { dispatch }) }, () => instant)
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

const WITHOUT_BROKER: DispatchSettings = { DISPATCH: 'database', DISPATCH_URL: undefined, DISPATCH_QUEUE: 'sendonce' }

type Shape = { connections: number; mailboxes: number; smtpPort?: number; dispatch?: DispatchSettings }

function ours(
  server: BenchServer,
  name: string,
  { connections, mailboxes, smtpPort, dispatch = WITHOUT_BROKER }: Shape,
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
      const open = transportBy(pool, keyring)
      const providers = { SMTP: { ...smtpProvider(pool, keyring), open } }
      const means = sendingMeans(pool, keyring, 'http://bench.test', providers)
      return {
        async run() {
          const time = new Deadline(600_000)
          const limits = { connections, leaseMs: 120_000, submitMsMax: 45_000, beginning: time }
          const sender = senderOf(dispatch, pool, 'bench', log, means, limits)
          await sender.claimDue({ time })
          await sender.drain()
          const { sent } = sender.takeCounts()
          if (sent !== emails) throw new Error(`${sent} of ${emails} were sent`)
        },
        close: () => pool.end(),
      }
    },
  }
}
