import { outbox } from '#lib/contract/outbox.ts'
import { actOnMany } from '#lib/email-scheduler/verbs/bulk.ts'
import { database } from '#lib/platform/database.ts'
import { filterOf } from '#lib/wiring/outbox-filter.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { wishOf } from '../act-on-one.ts'

export const POST = workspaceRoute(
  outbox.bulk,
  async ({ workspace, actor, keep, body: { action, scheduledFor, preview, ids, filter, exceptIds, cursor } }) =>
    actOnMany(
      database(),
      workspace.id,
      ids ? { ids } : { filter: await filterOf(workspace.id, filter ?? {}), exceptIds, cursor },
      wishOf(action, scheduledFor),
      actor,
      preview,
      keep,
    ),
)
