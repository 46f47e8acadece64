import { webhooks } from '#lib/contract/webhooks.ts'
import { rotateSecret } from '#lib/webhooks/endpoints.ts'
import { webhookContext } from '#lib/wiring/webhooks.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(webhooks.rotateSecret, ({ workspace, actor, params, keep }) =>
  rotateSecret(webhookContext({ workspace, actor }), params.id, keep),
)
