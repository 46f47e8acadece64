import { countForPage, listActions } from '#lib/actions/list-actions.ts'
import { actions } from '#lib/contract/actions.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(actions.list, async ({ workspace, query }) => ({
  ...(await listActions(database(), workspace.id, query)),
  counts: await countForPage(database(), workspace.id),
}))
