import { outbox } from '#lib/contract/outbox.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { actAndRead, readOne } from '../act-on-one.ts'

export const GET = workspaceRoute(outbox.read, ({ workspace, params }) => readOne(workspace.id, params.id))

export const DELETE = workspaceRoute(outbox.dismiss, (input) => actAndRead(input, { action: 'dismiss' }))
