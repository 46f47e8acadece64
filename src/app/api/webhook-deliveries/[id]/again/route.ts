import { webhooks } from '#lib/contract/webhooks.ts'
import { deliverAgain, readDelivery } from '#lib/webhooks/deliveries.ts'
import { inKeptTransaction, workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(webhooks.again, ({ workspace, params, keep }) =>
  inKeptTransaction({ keep }, async (tx) => {
    await deliverAgain(tx, workspace.id, params.id)
    return readDelivery(tx, workspace.id, params.id)
  }),
)
