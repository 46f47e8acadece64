import { database, inTransaction } from '#lib/platform/database.ts'
import { leaveWorkspace } from '#lib/tenancy/members.ts'
import { DONE, done } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(
  { summary: 'Leaves the workspace.', role: 'member', output: done },
  async ({ actor, workspace }) => {
    await inTransaction(database(), (tx) => leaveWorkspace(tx, workspace.id, actor))
    return DONE
  },
)
