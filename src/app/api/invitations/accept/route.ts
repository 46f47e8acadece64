import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { guardedRoute } from '#lib/platform/route.ts'
import { acceptInvitation, acceptInvitationAsNewPerson } from '#lib/tenancy/accept-invitation.ts'
import { passwordSchema, personNameSchema } from '#lib/tenancy/person.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { readSession } from '#lib/tenancy/session.ts'
import { signIn } from '#lib/tenancy/sign-in.ts'
import { limitByAddress } from '../../limit.ts'
import { tokenSchema } from '../../schemas.ts'
import { auth } from '../../services.ts'
import { originOf } from '../../workspace-route.ts'

export const POST = guardedRoute(
  {
    summary: 'Accepts an invitation: as whoever is signed in, or as somebody new with a name and a password.',
    body: z.object({
      token: tokenSchema,
      newPerson: z.object({ name: personNameSchema, password: passwordSchema }).optional(),
    }),
    output: z.object({ workspaceId: z.string() }),
  },
  ({ request, responseHeaders }) => readSession(auth(), request.headers, responseHeaders),
  async (input, session) => {
    await limitByAddress(input, LIMITS.tokenByAddress)
    const { token, newPerson } = input.body
    const origin = originOf(input)
    if (session) {
      const actor = { id: session.person.id, email: session.person.email, ...origin }
      return inTransaction(database(), (tx) => acceptInvitation(tx, token, actor, session.sessionId))
    }
    if (!newPerson) {
      throw new PublicError(401, 'not-signed-in', 'Sign in to accept the invitation, or choose a name and a password.')
    }
    const { name, password } = newPerson
    const passwordHash = await (await auth().$context).password.hash(password)
    const { workspaceId, email } = await inTransaction(database(), (tx) =>
      acceptInvitationAsNewPerson(tx, token, { name, passwordHash }, origin),
    )
    await signIn(auth(), database(), { email, password }, origin, input.responseHeaders)
    return { workspaceId }
  },
)
