import { webhooks } from '#lib/contract/webhooks.ts'
import { database } from '#lib/platform/database.ts'
import { readDelivery } from '#lib/webhooks/deliveries.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(webhooks.delivery, ({ workspace, params }) =>
  readDelivery(database(), workspace.id, params.id),
)
