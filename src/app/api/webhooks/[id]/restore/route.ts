import { webhooks } from '#lib/contract/webhooks.ts'
import { restoreWebhook } from '#lib/webhooks/endpoints.ts'
import { webhookContext } from '#lib/wiring/webhooks.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(webhooks.restore, ({ workspace, actor, params }) =>
  restoreWebhook(webhookContext({ workspace, actor }), params.id),
)
