import { invitations } from '#lib/contract/people.ts'
import { DONE } from '#lib/contract/shared.ts'
import { withdrawProductMail } from '#lib/outbox/product-mail.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { revokeInvitation } from '#lib/tenancy/people/invitations.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(invitations.revoke, async ({ actor, workspace, params }) => {
  await inTransaction(database(), async (tx) => {
    const { olderMailId } = await revokeInvitation(tx, workspace.id, params.id, actor)
    if (olderMailId) await withdrawProductMail(tx, olderMailId)
  })
  return DONE
})
