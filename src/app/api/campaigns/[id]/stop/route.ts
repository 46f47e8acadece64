import { z } from 'zod'
import { stopCampaign } from '#lib/email-scheduler/stop-campaign.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { campaignOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary: 'Stops a campaign for good and cancels what waits.',
    role: 'member',
    params: idParams,
    output: z.object({ campaign: campaignOutput, cancelled: z.number() }),
  },
  ({ workspace, params, actor }) => inTransaction(database(), (tx) => stopCampaign(tx, workspace.id, params.id, actor)),
)
