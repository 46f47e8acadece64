import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { renewInvitation } from '#lib/tenancy/invitations.ts'
import { invitationMail } from '#lib/tenancy/mails.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitBySubject } from '../../../limit.ts'
import { idParams, sentInvitationOutput } from '../../../schemas.ts'
import { sendAndLog } from '../../../services.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(
  {
    summary: 'Sends an invitation again, with a new link; the old one stops working.',
    role: 'admin',
    params: idParams,
    body: z.object({}),
    output: sentInvitationOutput,
  },
  async (input) => {
    await limitBySubject(input, LIMITS.invitationsByPerson, input.person.id)
    const { actor, workspace, params } = input
    const invitation = await inTransaction(database(), (tx) => renewInvitation(tx, workspace.id, params.id, actor))
    return { invitation, mailSent: await sendAndLog(invitationMail(env().APP_URL, invitation)) }
  },
)
