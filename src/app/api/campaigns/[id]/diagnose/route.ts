import { campaigns } from '#lib/contract/campaigns.ts'
import { diagnoseCampaign } from '#lib/email-scheduler/read/diagnose.ts'
import { database } from '#lib/platform/database.ts'
import { readLastTick } from '#lib/worker/heartbeat.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(campaigns.diagnose, async ({ workspace, params, query }) =>
  diagnoseCampaign(database(), workspace.id, params.id, { ...query, lastTick: await readLastTick(database()) }),
)
