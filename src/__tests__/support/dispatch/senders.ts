import type pg from 'pg'
import type { SendingCounts } from '#lib/delivery/sending-counts.ts'
import type { DispatchSettings } from '#lib/dispatch/check-dispatch.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { Log } from '#lib/platform/log.ts'
import { senderOf } from '#lib/wiring/sender.ts'
import type { Sending } from '#lib/worker/send-due.ts'
import type { SendingLimits } from '#lib/worker/sending-limits.ts'
import { meansThrough, type TestProvider } from '#tests/support/mail/sending.ts'
import { silent } from '#tests/support/silent.ts'

export const WITHOUT_BROKER: DispatchSettings = {
  DISPATCH: 'database',
  DISPATCH_URL: undefined,
  DISPATCH_QUEUE: 'sendonce',
}

type Wanted = Partial<SendingLimits> & { log?: Log }

/** A worker's sending, put together as the product does it. */
export function testSender(
  pool: pg.Pool,
  provider: TestProvider,
  settings: DispatchSettings,
  worker: string,
  { log = silent, ...limits }: Wanted = {},
): Sending {
  return senderOf(settings, pool, worker, log, meansThrough(pool, provider), {
    ...{ connections: 5, leaseMs: 60_000, submitMsMax: 10_000, beginning: new Deadline(120_000) },
    ...limits,
  })
}

/**
 * As many workers as are wanted, sending beside one another while `work` is done, and then ended in good order. Answers
 * what they did together.
 */
export async function whileSending(senders: readonly Sending[], work: () => Promise<void>): Promise<SendingCounts> {
  const ending = new AbortController()
  // A worker never stops for want of work.
  const mayMoreCome = async () => {
    await new Promise((later) => setTimeout(later, 50))
    return true
  }
  const claiming = senders.map((sender) =>
    sender.claimDue({ time: new Deadline(240_000), signal: ending.signal, mayMoreCome }),
  )
  try {
    await Promise.race([work(), Promise.all(claiming)])
  } finally {
    ending.abort()
    await Promise.allSettled(claiming)
    await Promise.all(senders.map((sender) => sender.drain()))
  }
  await Promise.all(claiming)
  const counts = senders.map((sender) => sender.takeCounts())
  return counts.reduce((sum, one) => {
    for (const key of Object.keys(one) as (keyof SendingCounts)[]) sum[key] += one[key]
    return sum
  })
}
