import { listCampaigns } from '#lib/campaigns/campaign.ts'
import { createCampaign } from '#lib/campaigns/draft.ts'
import { withSums } from '#lib/campaigns/ledger.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { withPace } from '#lib/email-scheduler/read/campaign-pace.ts'
import { database } from '#lib/platform/database.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(campaigns.list, async ({ workspace, query }) => {
  const page = await listCampaigns(database(), workspace.id, query)
  const listed = await withSums(database(), page.campaigns)
  return { ...page, campaigns: await withPace(database(), workspace.id, listed) }
})

export const POST = workspaceRoute(campaigns.create, ({ workspace, body, keep }) =>
  inKeptTransaction({ keep }, (tx) => createCampaign(tx, workspace.id, body)),
)
