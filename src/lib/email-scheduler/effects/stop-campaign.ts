import type pg from 'pg'
import { cancelSomeActions } from '#lib/actions/cancel.ts'
import type { Campaign } from '#lib/campaigns/campaign.ts'
import { finishSome, skipUnplanned } from '#lib/campaigns/finish.ts'
import { leaveStopped } from '#lib/campaigns/journeys/leave.ts'
import { endCampaign } from '#lib/campaigns/move.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { cancelSomeWaiting } from './cancel-waiting.ts'

const EMAILS_PER_TRANSACTION = 5_000

/**
 * Ends a campaign for good, and cancels what waits as long as time lasts; the tick cancels the rest. The stop itself
 * holds once it has committed: it waited for every transaction that shared the campaign's lock, and later ones find it.
 */
export async function stopCampaign(
  pool: pg.Pool,
  workspaceId: string,
  id: string,
  actor: Actor,
  mayContinue: () => boolean,
): Promise<{ campaign: Campaign; cancelled: number; isCleared: boolean }> {
  const campaign = await inTransaction(pool, (tx) => endCampaign(tx, workspaceId, id, actor))
  return { campaign, ...(await clearStopped(pool, { workspaceId, id }, mayContinue)) }
}

/** In transactions of some thousand rows, so that none of them is long and a crash between two leaves little to do. */
export async function clearStopped(
  pool: pg.Pool,
  { workspaceId, id }: Pick<Campaign, 'workspaceId' | 'id'>,
  mayContinue: () => boolean,
): Promise<{ cancelled: number; isCleared: boolean }> {
  let cancelled = 0
  const steps: (() => Promise<number>)[] = [
    async () => {
      const count = await inTransaction(pool, (tx) => cancelSomeWaiting(tx, workspaceId, id, EMAILS_PER_TRANSACTION))
      cancelled += count
      return count
    },
    () => inTransaction(pool, (tx) => leaveStopped(tx, id, EMAILS_PER_TRANSACTION)),
    () => inTransaction(pool, (tx) => cancelSomeActions(tx, id, EMAILS_PER_TRANSACTION)),
    () => inTransaction(pool, (tx) => skipUnplanned(tx, id)),
    () => finishSome(pool, id),
  ]
  for (const step of steps) {
    while ((await step()) > 0) if (!mayContinue()) return { cancelled, isCleared: false }
  }
  return { cancelled, isCleared: true }
}
