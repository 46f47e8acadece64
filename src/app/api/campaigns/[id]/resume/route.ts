import { resumeCampaign } from '#lib/campaigns/move.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(campaigns.resume, ({ workspace, params, actor }) =>
  inTransaction(database(), (tx) => resumeCampaign(tx, workspace.id, params.id, actor)),
)
