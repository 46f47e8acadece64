import type pg from 'pg'
import { Deadline } from '#lib/mail/deadline.ts'
import { runWorker } from '#lib/worker/run-worker.ts'
import type { Sending } from '#lib/worker/send-due.ts'
import { silent } from '#tests/support/silent.ts'

/** Workers as the product runs them, ticks and all, while `work` is done; then they end in good order. */
export async function whileWorking(
  pool: pg.Pool,
  senders: readonly Sending[],
  work: () => Promise<void>,
  log = silent,
): Promise<void> {
  const ending = new AbortController()
  const limits = { connections: 3, leaseMs: 60_000, submitMsMax: 10_000, beginning: new Deadline(240_000) }
  const working = senders.map((sender, index) =>
    runWorker(pool, `worker-${index}`, log, { sender, limits, signal: ending.signal }),
  )
  try {
    await Promise.race([work(), Promise.all(working)])
  } finally {
    ending.abort()
    await Promise.allSettled(working)
  }
  await Promise.all(working)
}
