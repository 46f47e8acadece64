import { invitations } from '#lib/contract/people.ts'
import { DONE } from '#lib/contract/shared.ts'
import { withdrawProductMail } from '#lib/outbox/product-mail.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { revokeInvitation } from '#lib/tenancy/people/invitations.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(invitations.revoke, async ({ actor, workspace, params }) => {
  await inTransaction(database(), async (tx) => {
    const { mailId } = await revokeInvitation(tx, workspace.id, params.id, actor)
    if (mailId) await withdrawProductMail(tx, mailId)
  })
  return DONE
})
