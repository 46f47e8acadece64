import { outbox } from '#lib/contract/outbox.ts'
import { restoreQueueFilter } from '#lib/email-scheduler/verbs/queue-filters.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../../workspace-route.ts'

export const POST = workspaceRoute(outbox.restoreFilter, ({ workspace, params }) =>
  restoreQueueFilter(database(), workspace.id, params.id),
)
