import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { invite, listInvitations } from '#lib/tenancy/invitations.ts'
import { invitationMail } from '#lib/tenancy/mails.ts'
import { emailSchema } from '#lib/tenancy/person.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitBySubject } from '../limit.ts'
import { invitationOutput, roleSchema, sentInvitationOutput } from '../schemas.ts'
import { sendAndLog } from '../services.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(
  {
    summary: 'The invitations that wait to be accepted, expired ones too.',
    role: 'admin',
    output: z.object({ invitations: z.array(invitationOutput) }),
  },
  async ({ workspace }) => ({ invitations: await listInvitations(database(), workspace.id) }),
)

export const POST = workspaceRoute(
  {
    summary: 'Invites an address, by mail. Only owners invite owners.',
    role: 'admin',
    body: z.object({ email: emailSchema, role: roleSchema }),
    output: sentInvitationOutput,
  },
  async (input) => {
    await limitBySubject(input, LIMITS.invitationsByPerson, input.person.id)
    const { actor, workspace, body } = input
    const invitation = await inTransaction(database(), (tx) => invite(tx, workspace.id, body, actor))
    return { invitation, mailSent: await sendAndLog(invitationMail(env().APP_URL, invitation)) }
  },
)
