import { session } from '#lib/contract/session.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/http/route.ts'
import { activeAmong, assertWorkspaceAccess, listMemberships } from '#lib/tenancy/access.ts'
import { passCookies } from '#lib/tenancy/people/session.ts'
import { signIn, signOut } from '#lib/tenancy/people/sign-in.ts'
import { forgetAttempts, LIMITS } from '#lib/tenancy/rate-limit.ts'
import { auth } from '#lib/wiring/auth.ts'
import { limitByAddress, limitBySubject, returnAttemptByAddress } from '../limit.ts'
import { originOf, personRoute } from '../workspace-route.ts'

export const GET = personRoute(session.read, async ({ person, session }) => {
  const workspaces = await listMemberships(database(), person.id)
  return { person, workspaces, workspace: activeAmong(workspaces, session.activeWorkspaceId) ?? null }
})

export const POST = route(session.signIn, async (input) => {
  await limitByAddress(input, LIMITS.signInByAddress)
  await limitBySubject(LIMITS.signInByAccount, input.body.email)
  await signIn(auth(), database(), input.body, originOf(input), input.responseHeaders)
  await forgetAttempts(database(), LIMITS.signInByAccount, input.body.email)
  await returnAttemptByAddress(input, LIMITS.signInByAddress)
  return DONE
})

export const PATCH = personRoute(session.switchWorkspace, async ({ body, person, request, responseHeaders }) => {
  const { workspace } = await assertWorkspaceAccess(database(), person.id, body.workspaceId, 'member')
  const { headers } = await auth().api.setActiveOrganization({
    body: { organizationId: workspace.id },
    headers: request.headers,
    returnHeaders: true,
  })
  passCookies(headers, responseHeaders)
  return workspace
})

export const DELETE = personRoute(session.signOut, async ({ actor, request, responseHeaders }) => {
  await signOut(auth(), database(), actor, request.headers, responseHeaders)
  return DONE
})
