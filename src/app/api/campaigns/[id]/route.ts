import { z } from 'zod'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { archiveCampaign } from '#lib/campaigns/move.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { batchSizeInput, campaignName, campaignOutput } from '../schemas.ts'

export const GET = workspaceRoute(
  { summary: 'A campaign, archived or not.', role: 'member', params: idParams, output: campaignOutput },
  ({ workspace, params }) => findCampaign(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(
  {
    summary: 'Renames a campaign or changes the size of its batches; a draft may also change its sequence.',
    role: 'member',
    params: idParams,
    body: z.object({
      name: campaignName.optional(),
      sequenceId: z.uuid().optional(),
      batchSize: batchSizeInput.optional(),
    }),
    output: campaignOutput,
  },
  ({ workspace, params, body }) => inTransaction(database(), (tx) => changeCampaign(tx, workspace.id, params.id, body)),
)

export const DELETE = workspaceRoute(
  {
    summary: 'Archives a campaign that is a draft, sent or stopped; nothing of it is deleted.',
    role: 'member',
    params: idParams,
    output: campaignOutput,
  },
  ({ workspace, params, actor }) =>
    inTransaction(database(), (tx) => archiveCampaign(tx, workspace.id, params.id, actor)),
)
