import { system } from '#lib/contract/system.ts'
import { readHeldGroups } from '#lib/operations/held.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(system.heldGroups, ({ workspace, query: { cursor, limit } }) =>
  readHeldGroups(database(), { workspaceId: workspace.id, after: cursor, limit }),
)
