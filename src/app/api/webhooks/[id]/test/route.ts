import { webhooks } from '#lib/contract/webhooks.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { makeTestEvent, readDelivery } from '#lib/webhooks/deliveries.ts'
import { courier } from '#lib/wiring/webhooks.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

/** A receiver that hangs is waited for. */
export const maxDuration = 30

export const POST = workspaceRoute(webhooks.test, async ({ workspace, params, keep }) => {
  await limitBySubject(LIMITS.webhookTestsByWorkspace, workspace.id)
  const id = await inTransaction(database(), async (tx) => {
    const made = await makeTestEvent(tx, workspace.id, params.id)
    await keep(tx)
    return made
  })
  await courier().deliverNow(workspace.id, id)
  return readDelivery(database(), workspace.id, id)
})
