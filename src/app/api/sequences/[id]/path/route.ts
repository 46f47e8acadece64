import { journeys } from '#lib/contract/actions.ts'
import { previewPath } from '#lib/email-scheduler/read/person-path.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(journeys.preview, ({ workspace, params, body }) =>
  previewPath(database(), workspace.id, params.id, body),
)
