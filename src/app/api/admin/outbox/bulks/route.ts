import { outbox } from '#lib/contract/outbox.ts'
import { listBulks } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { startBulk } from '#lib/email-scheduler/verbs/start-bulk.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { filterOf } from '#lib/wiring/outbox-filter.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { wishOf } from '../act-on-one.ts'
import { workAtOnce } from './work-at-once.ts'

export const GET = workspaceRoute(outbox.listBulks, async ({ workspace, query: { limit } }) => ({
  bulks: await listBulks(database(), workspace.id, limit),
}))

export const POST = workspaceRoute(outbox.startBulk, async ({ workspace, actor, body, keep }) => {
  const { action, scheduledFor, ids, filter, upToId, exceptIds } = body
  const emails = ids ? { ids } : { filter: await filterOf(workspace.id, filter ?? {}), upToId, exceptIds }
  const id = await inTransaction(database(), async (tx) => {
    const started = await startBulk(tx, workspace.id, { wish: wishOf(action, scheduledFor), emails }, actor)
    await keep(tx)
    return started
  })
  return workAtOnce(workspace.id, id)
})
