import { outbox } from '#lib/contract/outbox.ts'
import { listQueueFilters, saveQueueFilter } from '#lib/email-scheduler/verbs/queue-filters.ts'
import { database } from '#lib/platform/database.ts'
import { inKeptTransaction, workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(outbox.listFilters, async ({ workspace }) => ({
  filters: await listQueueFilters(database(), workspace.id),
}))

export const POST = workspaceRoute(outbox.saveFilter, ({ workspace, body, keep }) =>
  inKeptTransaction({ keep }, (tx) => saveQueueFilter(tx, workspace.id, body)),
)
