import { loadProspect } from '#lib/audience/list-prospects.ts'
import { idsOfPerson } from '#lib/audience/who-is.ts'
import { events } from '#lib/contract/events.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(events.list, async ({ workspace, params, query }) => {
  const { id } = await loadProspect(database(), workspace.id, params.id)
  return listEvents(database(), workspace.id, await idsOfPerson(database(), workspace.id, id), query)
})
