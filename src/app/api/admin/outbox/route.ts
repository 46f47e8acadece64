import { outbox } from '#lib/contract/outbox.ts'
import { listOutbox } from '#lib/email-scheduler/queue/list-outbox.ts'
import { database } from '#lib/platform/database.ts'
import { filterOf } from '#lib/wiring/outbox-filter.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(outbox.list, async ({ workspace, query: { cursor, untilId, limit, ...given } }) =>
  listOutbox(database(), workspace.id, await filterOf(workspace.id, given), { cursor, untilId, limit }),
)
