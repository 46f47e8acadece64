import { invitations } from '#lib/contract/people.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { invite, listInvitations } from '#lib/tenancy/people/invitations.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { sendStoredMail, storeInvitationMail, withMailOutcomes } from '#lib/wiring/system-mail.ts'
import { limitBySubject } from '../limit.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(invitations.list, async ({ workspace }) => ({
  invitations: await withMailOutcomes(database(), await listInvitations(database(), workspace.id)),
}))

export const POST = workspaceRoute(invitations.invite, async (input) => {
  await limitBySubject(LIMITS.invitationsByPerson, input.person.id)
  const { actor, workspace, body, keep } = input
  const { invitation, mail } = await inTransaction(database(), async (tx) => {
    const invited = await invite(tx, workspace.id, body, actor)
    // Until its mail has gone; the answer is kept anew then.
    await keep(tx)
    return { invitation: invited, mail: await storeInvitationMail(tx, workspace.id, invited) }
  })
  return { invitation: { ...invitation, mail: await sendStoredMail(mail) } }
})
