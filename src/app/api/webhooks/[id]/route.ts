import { DONE } from '#lib/contract/shared.ts'
import { webhooks } from '#lib/contract/webhooks.ts'
import { database } from '#lib/platform/database.ts'
import { changeWebhook, loadWebhook, removeWebhook } from '#lib/webhooks/endpoints.ts'
import { webhookContext } from '#lib/wiring/webhooks.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(webhooks.read, ({ workspace, params }) =>
  loadWebhook(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(webhooks.edit, ({ workspace, actor, params, body, expected }) =>
  changeWebhook(webhookContext({ workspace, actor }), params.id, body, expected),
)

export const DELETE = workspaceRoute(webhooks.remove, async ({ workspace, actor, params }) => {
  await removeWebhook(webhookContext({ workspace, actor }), params.id)
  return DONE
})
