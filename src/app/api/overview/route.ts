import { system } from '#lib/contract/system.ts'
import { readOverview } from '#lib/operations/overview/overview.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(system.overview, ({ workspace }) => readOverview(database(), workspace.id))
