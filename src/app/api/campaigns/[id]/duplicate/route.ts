import { duplicateCampaign } from '#lib/campaigns/draft.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { inKeptTransaction, workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(campaigns.duplicate, ({ workspace, params, actor, keep }) =>
  inKeptTransaction({ keep }, (tx) => duplicateCampaign(tx, workspace.id, params.id, actor)),
)
