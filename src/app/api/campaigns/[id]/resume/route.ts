import { resumeCampaign } from '#lib/campaigns/move.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { campaignOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  { summary: 'Resumes a paused campaign.', role: 'member', params: idParams, output: campaignOutput },
  ({ workspace, params, actor }) =>
    inTransaction(database(), (tx) => resumeCampaign(tx, workspace.id, params.id, actor)),
)
