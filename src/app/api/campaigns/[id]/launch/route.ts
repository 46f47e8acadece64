import { launchCampaign } from '#lib/campaigns/launch.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

export const POST = workspaceRoute(campaigns.launch, async ({ workspace, params, body, actor, log, keep }) => {
  const mayContinue = requestBudget()
  const campaign = await inTransaction(database(), async (tx) => {
    const launched = await launchCampaign(tx, workspace.id, params.id, body.scheduledAt, actor)
    await keep(tx)
    return launched
  })
  if (campaign.status !== 'RUNNING') return { campaign, scheduling: null }
  const whose = { workspaceId: workspace.id, campaignId: campaign.id }
  return { campaign, scheduling: await scheduleEmailsForCampaign(database(), whose, { log, mayContinue }) }
})
