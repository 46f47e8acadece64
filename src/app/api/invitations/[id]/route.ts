import { database, inTransaction } from '#lib/platform/database.ts'
import { revokeInvitation } from '#lib/tenancy/invitations.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(
  { summary: 'Revokes an invitation: its link stops working.', role: 'admin', params: idParams, output: done },
  async ({ actor, workspace, params }) => {
    await inTransaction(database(), (tx) => revokeInvitation(tx, workspace.id, params.id, actor))
    return DONE
  },
)
