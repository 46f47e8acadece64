import { outbox } from '#lib/contract/outbox.ts'
import { stopBulk } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import { readBulk } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { inKeptTransaction, workspaceRoute } from '../../../../../workspace-route.ts'

export const POST = workspaceRoute(outbox.stopBulk, (input) =>
  inKeptTransaction(input, async (tx) => {
    await stopBulk(tx, input.workspace.id, input.params.id)
    return readBulk(tx, input.workspace.id, input.params.id)
  }),
)
