import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { moveAccepted } from './late-evidence.ts'

type Returned = { id: string; status: ScheduledEmailStatus; acceptedToken: number | null }

/**
 * What follows where a lease ends without an answer: an email that an earlier attempt got through is SENT after all, and
 * nothing comes after one that is cancelled. Answers where each of them is now.
 */
export async function afterLease(tx: Sql, rows: readonly Returned[]): Promise<Map<string, ScheduledEmailStatus>> {
  const accepted = rows.filter(({ acceptedToken }) => acceptedToken !== null).map(({ id }) => id)
  const sent = new Set(await moveAccepted(tx, accepted))
  const cancelled = rows.filter(({ id, status }) => status === 'CANCELLED' && !sent.has(id)).map(({ id }) => id)
  await cancelSuccessors(tx, cancelled, 'PREDECESSOR_CANCELLED')
  return new Map(rows.map(({ id, status }) => [id, sent.has(id) ? 'SENT' : status]))
}
