import { system } from '#lib/contract/system.ts'
import { readRowsBehind } from '#lib/operations/overview/rows-behind.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(system.overviewRows, ({ workspace, query: { cursor, limit, ...behind } }) =>
  readRowsBehind(database(), workspace.id, behind, { cursor, limit }),
)
