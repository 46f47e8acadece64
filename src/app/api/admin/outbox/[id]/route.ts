import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { readOne, verbRoute } from '../act-on-one.ts'
import { emailDetailOutput } from '../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'Everything about one email: its state, attempts, history, what was sent, and why it has not gone yet.',
    role: 'member',
    params: idParams,
    output: emailDetailOutput,
  },
  ({ workspace, params }) => readOne(workspace.id, params.id),
)

export const DELETE = verbRoute(
  'Dismisses an email that failed, or whose outcome is unknown: seen, and nothing more is wanted. Row and key stay.',
  () => ({ action: 'dismiss' }),
)
