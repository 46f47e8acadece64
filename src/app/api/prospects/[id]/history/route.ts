import { loadProspect } from '#lib/audience/list-prospects.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { readPersonHistory } from '#lib/email-scheduler/read/person-history.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(prospects.history, async ({ workspace, params }) => {
  const prospect = await loadProspect(database(), workspace.id, params.id)
  return readPersonHistory(database(), workspace.id, prospect.id)
})
