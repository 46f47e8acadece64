import { campaigns } from '#lib/contract/campaigns.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

export const POST = workspaceRoute(campaigns.stop, ({ workspace, params, actor }) =>
  stopCampaign(database(), workspace.id, params.id, actor, requestBudget()),
)
