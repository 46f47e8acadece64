import { events } from '#lib/contract/events.ts'
import { tellEvents } from '#lib/events/custom/tell-events.ts'
import { readKey } from '#lib/platform/http/keyed.ts'
import { hasherFor } from '#lib/wiring/audience.ts'
import { inKeptTransaction, workspaceRoute } from '../../workspace-route.ts'

export const POST = workspaceRoute(events.tellMany, async (input) => {
  const { workspace, request, body } = input
  const hash = await hasherFor(workspace.id)
  return inKeptTransaction(input, async (tx) => {
    const telling = { workspaceId: workspace.id, key: readKey(request), isBatch: true, events: body.events }
    const told = await tellEvents(tx, hash, telling)
    return {
      events: told.map((one) =>
        one.kind === 'event'
          ? { event: one.event, error: null }
          : { event: null, error: { code: one.error.code, message: one.error.message } },
      ),
    }
  })
})
