import { outbox } from '#lib/contract/outbox.ts'
import { startUndo } from '#lib/email-scheduler/verbs/start-bulk.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../../workspace-route.ts'
import { workAtOnce } from '../../work-at-once.ts'

export const POST = workspaceRoute(outbox.undoBulk, async ({ workspace, actor, params, keep }) => {
  const id = await inTransaction(database(), async (tx) => {
    const started = await startUndo(tx, workspace.id, params.id, actor)
    await keep(tx)
    return started
  })
  return workAtOnce(workspace.id, id)
})
