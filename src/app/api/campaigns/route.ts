import { z } from 'zod'
import { listCampaigns } from '#lib/campaigns/campaign.ts'
import { createCampaign } from '#lib/campaigns/draft.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { pageFields } from '../schemas.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { batchSizeInput, campaignName, campaignOutput, campaignStatus } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The campaigns of the workspace, newest first.',
    role: 'member',
    query: z.object({ ...pageFields, status: campaignStatus.optional() }),
    output: z.object({ campaigns: z.array(campaignOutput), nextCursor: z.string().nullable() }),
  },
  ({ workspace, query }) => listCampaigns(database(), workspace.id, query),
)

export const POST = workspaceRoute(
  {
    summary: 'Creates a campaign as a draft.',
    role: 'member',
    body: z.object({ name: campaignName, sequenceId: z.uuid(), batchSize: batchSizeInput.optional() }),
    output: campaignOutput,
  },
  ({ workspace, body }) => inTransaction(database(), (tx) => createCampaign(tx, workspace.id, body)),
)
