import { webhooks } from '#lib/contract/webhooks.ts'
import { database } from '#lib/platform/database.ts'
import { addWebhook, listWebhooks } from '#lib/webhooks/endpoints.ts'
import { webhookContext } from '#lib/wiring/webhooks.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(webhooks.list, async ({ workspace }) => ({
  webhooks: await listWebhooks(database(), workspace.id),
}))

export const POST = workspaceRoute(webhooks.add, ({ workspace, actor, body, keep }) =>
  addWebhook(webhookContext({ workspace, actor }), body, keep),
)
