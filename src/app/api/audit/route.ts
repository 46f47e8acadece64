import { audit } from '#lib/contract/workspaces.ts'
import { database } from '#lib/platform/database.ts'
import { listAudit } from '#lib/tenancy/audit/audit-list.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(audit.list, ({ workspace, query: { cursor, limit, ...filter } }) =>
  listAudit(database(), workspace.id, filter, { cursor, limit }),
)
