import { outbox } from '#lib/contract/outbox.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'
import { actAndRead } from '../../act-on-one.ts'

export const POST = workspaceRoute(outbox.cancel, (input) => actAndRead(input, { action: 'cancel' }))
