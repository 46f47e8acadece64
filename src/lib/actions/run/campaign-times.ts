import type pg from 'pg'
import type { ClaimedAction } from '#lib/actions/claim.ts'
import { lockOwnActions, settleActions, type Verdict } from '#lib/actions/settle.ts'
import { type Campaign, lockCampaign } from '#lib/campaigns/campaign.ts'
import { startCampaign } from '#lib/campaigns/finish.ts'
import { endCampaign } from '#lib/campaigns/move.ts'
import { isPossible } from '#lib/campaigns/verbs.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { CLOCK } from '#lib/tenancy/audit/audit.ts'

/** Starts or stops a campaign, and has done so, in one commit. Answers whether a campaign was started. */
export async function runCampaignAction(pool: pg.Pool, action: ClaimedAction): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const campaign = await lockCampaign(tx, action.workspaceId, action.campaignId)
    const [mine] = await lockOwnActions(tx, [action])
    if (!mine) return false
    const verdict = action.type === 'START_CAMPAIGN' ? await start(tx, campaign) : await atItsEnd(tx, campaign)
    // Before the stop, which cancels what is still set for the campaign.
    await settleActions(tx, [{ action: mine, verdict }])
    if (verdict.kind !== 'done') return false
    if (action.type === 'START_CAMPAIGN') return true
    // One that has been sent has nothing to stop.
    if (isPossible('stop', campaign)) await endCampaign(tx, action.workspaceId, action.campaignId, CLOCK)
    return false
  })
}

async function start(tx: Sql, { id, status, scheduledAt, clockHeldMs }: Campaign): Promise<Verdict> {
  if (await startCampaign(tx, id)) return { kind: 'done' }
  if (status === 'SCHEDULED' && scheduledAt) return { kind: 'put-off', dueAt: scheduledAt, heldMs: clockHeldMs }
  return { kind: 'cancelled', reason: status === 'STOPPED' ? 'CAMPAIGN_STOPPED' : 'BEGUN' }
}

async function atItsEnd(tx: Sql, { endsAt, clockHeldMs }: Campaign): Promise<Verdict> {
  if (endsAt === null) return { kind: 'cancelled', reason: 'OTHER_TIME' }
  return endsAt > (await appNow(tx)) ? { kind: 'put-off', dueAt: endsAt, heldMs: clockHeldMs } : { kind: 'done' }
}
