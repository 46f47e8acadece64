import { webhooks } from '#lib/contract/webhooks.ts'
import { deliverFailedAgain } from '#lib/webhooks/deliveries.ts'
import { inKeptTransaction, workspaceRoute } from '../../../../workspace-route.ts'

export const POST = workspaceRoute(webhooks.failedAgain, ({ workspace, params, keep }) =>
  inKeptTransaction({ keep }, (tx) => deliverFailedAgain(tx, workspace.id, params.id)),
)
