import { webhooks } from '#lib/contract/webhooks.ts'
import { database } from '#lib/platform/database.ts'
import { listDeliveries } from '#lib/webhooks/deliveries.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(webhooks.deliveries, ({ workspace, params, query }) =>
  listDeliveries(database(), workspace.id, params.id, query),
)
