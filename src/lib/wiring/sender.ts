import type pg from 'pg'
import { openBroker } from '#lib/dispatch/open-broker.ts'
import type { Environment } from '#lib/platform/env.ts'
import type { Log } from '#lib/platform/log.ts'
import { BrokerSender } from '#lib/worker/send-by-broker.ts'
import { Sender, type Sending, type SendingMeans } from '#lib/worker/send-due.ts'
import type { SendingLimits } from '#lib/worker/sending-limits.ts'

/** What sends in this installation: from the database straight to the provider, or through the broker that was chosen. */
export function senderOf(
  settings: Pick<Environment, 'DISPATCH' | 'DISPATCH_URL' | 'DISPATCH_QUEUE'>,
  pool: pg.Pool,
  worker: string,
  log: Log,
  means: SendingMeans,
  limits: SendingLimits,
): Sending {
  const { DISPATCH: name, DISPATCH_URL: url, DISPATCH_QUEUE: queue } = settings
  if (name === 'database' || url === undefined) return new Sender(pool, worker, log, means, limits)
  return new BrokerSender(pool, worker, log, means, limits, () => openBroker(name, { url, queue, log }))
}
