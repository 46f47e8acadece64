import { pauseCampaign } from '#lib/campaigns/move.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(campaigns.pause, ({ workspace, params, actor }) =>
  inTransaction(database(), (tx) => pauseCampaign(tx, workspace.id, params.id, actor)),
)
