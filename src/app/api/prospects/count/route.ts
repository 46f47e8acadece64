import { countProspects } from '#lib/audience/list-prospects.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(prospects.count, async ({ workspace, query }) => ({
  count: await countProspects(database(), workspace.id, query),
}))
