import { outbox } from '#lib/contract/outbox.ts'
import { countOutbox } from '#lib/email-scheduler/queue/count-outbox.ts'
import { database } from '#lib/platform/database.ts'
import { filterOf } from '#lib/wiring/outbox-filter.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(outbox.count, async ({ workspace, query }) =>
  countOutbox(database(), workspace.id, await filterOf(workspace.id, query)),
)
