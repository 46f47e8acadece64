import { z } from 'zod'
import { stopCampaign } from '#lib/email-scheduler/stop-campaign.ts'
import { database } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'
import { campaignOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary: 'Stops a campaign for good and cancels what waits; where isCleared is false, ticks cancel the rest.',
    role: 'member',
    params: idParams,
    output: z.object({ campaign: campaignOutput, cancelled: z.number(), isCleared: z.boolean() }),
  },
  ({ workspace, params, actor }) => stopCampaign(database(), workspace.id, params.id, actor, requestBudget()),
)
