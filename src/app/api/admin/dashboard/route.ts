import { system } from '#lib/contract/system.ts'
import { readDashboard } from '#lib/operations/dashboard.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(system.dashboard, ({ workspace }) => readDashboard(database(), workspace.id))
