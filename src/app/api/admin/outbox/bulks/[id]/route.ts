import { outbox } from '#lib/contract/outbox.ts'
import { readBulk } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const GET = workspaceRoute(outbox.readBulk, ({ workspace, params }) =>
  readBulk(database(), workspace.id, params.id),
)
