import { invitations } from '#lib/contract/people.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { guardedRoute } from '#lib/platform/http/route.ts'
import { acceptInvitation, acceptInvitationAsNewPerson } from '#lib/tenancy/people/accept-invitation.ts'
import { readSession } from '#lib/tenancy/people/session.ts'
import { signIn } from '#lib/tenancy/people/sign-in.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { auth } from '#lib/wiring/auth.ts'
import { limitByAddress } from '../../limit.ts'
import { originOf } from '../../workspace-route.ts'

export const POST = guardedRoute(
  invitations.accept,
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
