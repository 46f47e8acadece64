import { actions } from '#lib/contract/actions.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'
import { actAndRead } from '../../act-and-read.ts'

export const POST = workspaceRoute(actions.cancel, (input) => actAndRead(input, 'cancel'))
