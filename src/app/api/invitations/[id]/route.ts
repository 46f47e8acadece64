import { invitations } from '#lib/contract/people.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { revokeInvitation } from '#lib/tenancy/people/invitations.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(invitations.revoke, async ({ actor, workspace, params }) => {
  await inTransaction(database(), (tx) => revokeInvitation(tx, workspace.id, params.id, actor))
  return DONE
})
