import { findCampaign } from '#lib/campaigns/campaign.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { readCalendar } from '#lib/email-scheduler/read/campaign-calendar.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(campaigns.calendar, async ({ workspace, params, query }) =>
  readCalendar(database(), await findCampaign(database(), workspace.id, params.id), query.month),
)
