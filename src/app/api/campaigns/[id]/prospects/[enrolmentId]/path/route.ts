import { journeys } from '#lib/contract/actions.ts'
import { readPersonPath } from '#lib/email-scheduler/read/person-path.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../../workspace-route.ts'

export const GET = workspaceRoute(journeys.read, ({ workspace, params }) =>
  readPersonPath(database(), workspace.id, params.id, params.enrolmentId),
)
