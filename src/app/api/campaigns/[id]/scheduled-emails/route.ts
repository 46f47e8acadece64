import { findCampaign } from '#lib/campaigns/campaign.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { listCampaignEmails } from '#lib/email-scheduler/read/list-emails.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(campaigns.emails, async ({ workspace, params, query }) =>
  listCampaignEmails(database(), await findCampaign(database(), workspace.id, params.id), query),
)
