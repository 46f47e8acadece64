import { sequences } from '#lib/contract/sequences.ts'
import { database } from '#lib/platform/database.ts'
import { loadVersion } from '#lib/sequences/versions.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const GET = workspaceRoute(sequences.version, ({ workspace, params }) =>
  loadVersion(database(), workspace.id, params.id, params.version),
)
