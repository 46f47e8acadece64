import { events } from '#lib/contract/events.ts'
import { tellEvents } from '#lib/events/custom/tell-events.ts'
import { readKey } from '#lib/platform/http/keyed.ts'
import { hasherFor } from '#lib/wiring/audience.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const POST = workspaceRoute(events.tell, async (input) => {
  const { workspace, request, body } = input
  const hash = await hasherFor(workspace.id)
  return inKeptTransaction(input, async (tx) => {
    const telling = { workspaceId: workspace.id, key: readKey(request), isBatch: false, events: [body] }
    const [told] = await tellEvents(tx, hash, telling)
    if (!told) throw new Error('an event has no answer')
    if (told.kind === 'refused') throw told.error
    return told.event
  })
})
