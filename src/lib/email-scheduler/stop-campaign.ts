import type { Campaign } from '#lib/campaigns/campaign.ts'
import { finishIdle } from '#lib/campaigns/finish.ts'
import { endCampaign } from '#lib/campaigns/move.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { cancelWaiting } from './cancel-waiting.ts'

/**
 * Ends a campaign for good and cancels what waits, in one transaction. It waits for a batch or a settling that holds the
 * campaign and then finds what they put into the queue; whoever comes later finds the stop.
 */
export async function stopCampaign(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
): Promise<{ campaign: Campaign; cancelled: number }> {
  const campaign = await endCampaign(tx, workspaceId, id, actor)
  const cancelled = await cancelWaiting(tx, workspaceId, { campaignId: id }, 'CAMPAIGN_STOPPED')
  await finishIdle(tx, id)
  return { campaign, cancelled }
}
