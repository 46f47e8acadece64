import { invitations } from '#lib/contract/people.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { renewInvitation } from '#lib/tenancy/people/invitations.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { sendStoredMail, storeInvitationMail } from '#lib/wiring/system-mail.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(invitations.resend, async (input) => {
  await limitBySubject(LIMITS.invitationsByPerson, input.person.id)
  const { actor, workspace, params, keep } = input
  const { invitation, mail } = await inTransaction(database(), async (tx) => {
    const renewed = await renewInvitation(tx, workspace.id, params.id, actor)
    await keep(tx)
    return { invitation: renewed, mail: await storeInvitationMail(tx, workspace.id, renewed) }
  })
  return { invitation: { ...invitation, mail: await sendStoredMail(mail) } }
})
