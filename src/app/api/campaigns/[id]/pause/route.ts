import { pauseCampaign } from '#lib/campaigns/move.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { campaignOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary: 'Pauses a campaign: nothing that is not yet handed over goes out until it is resumed.',
    role: 'member',
    params: idParams,
    output: campaignOutput,
  },
  ({ workspace, params, actor }) =>
    inTransaction(database(), (tx) => pauseCampaign(tx, workspace.id, params.id, actor)),
)
