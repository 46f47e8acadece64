import { findCampaign } from '#lib/campaigns/campaign.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { readLastDays } from '#lib/email-scheduler/read/campaign-calendar.ts'
import { database } from '#lib/platform/database.ts'
import { listActs } from '#lib/tenancy/audit/campaign-acts.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(campaigns.activity, async ({ workspace, params, query }) => {
  const campaign = await findCampaign(database(), workspace.id, params.id)
  const days = query.before === undefined ? await readLastDays(database(), campaign) : []
  return { ...(await listActs(database(), campaign, query)), days }
})
