import { outbox } from '#lib/contract/outbox.ts'
import { DONE } from '#lib/contract/shared.ts'
import { loadQueueFilter, removeQueueFilter } from '#lib/email-scheduler/verbs/queue-filters.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const GET = workspaceRoute(outbox.readFilter, ({ workspace, params }) =>
  loadQueueFilter(database(), workspace.id, params.id),
)

export const DELETE = workspaceRoute(outbox.removeFilter, async ({ workspace, params }) => {
  await removeQueueFilter(database(), workspace.id, params.id)
  return DONE
})
