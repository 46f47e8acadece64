import { sequences } from '#lib/contract/sequences.ts'
import { database } from '#lib/platform/database.ts'
import { listVersions } from '#lib/sequences/versions.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(sequences.versions, ({ workspace, params, query }) =>
  listVersions(database(), workspace.id, params.id, query),
)
