import { readAction } from '#lib/actions/list-actions.ts'
import { actions } from '#lib/contract/actions.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(actions.read, ({ workspace, params }) =>
  readAction(database(), workspace.id, params.id),
)
