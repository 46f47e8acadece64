import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/route.ts'
import { activeAmong, assertWorkspaceAccess, listMemberships } from '#lib/tenancy/access.ts'
import { emailSchema } from '#lib/tenancy/person.ts'
import { forgetAttempts, LIMITS } from '#lib/tenancy/rate-limit.ts'
import { passCookies } from '#lib/tenancy/session.ts'
import { signIn, signOut } from '#lib/tenancy/sign-in.ts'
import { limitByAddress, limitBySubject } from '../limit.ts'
import { DONE, done, personOutput, roleSchema, workspaceOutput } from '../schemas.ts'
import { auth } from '../services.ts'
import { originOf, personRoute } from '../workspace-route.ts'

const membershipOutput = workspaceOutput.extend({ role: roleSchema })

export const GET = personRoute(
  {
    summary: 'Who is signed in, their workspaces, and the one they are in.',
    output: z.object({
      person: personOutput,
      workspaces: z.array(membershipOutput),
      workspace: membershipOutput.nullable(),
    }),
  },
  async ({ person, session }) => {
    const workspaces = await listMemberships(database(), person.id)
    return { person, workspaces, workspace: activeAmong(workspaces, session.activeWorkspaceId) ?? null }
  },
)

export const POST = route(
  {
    summary: 'Signs in.',
    body: z.object({ email: emailSchema, password: z.string().min(1, 'The password is needed.').max(1_000) }),
    output: done,
  },
  async (input) => {
    await limitByAddress(input, LIMITS.signInByAddress)
    await limitBySubject(input, LIMITS.signInByAccount, input.body.email)
    await signIn(auth(), database(), input.body, originOf(input), input.responseHeaders)
    await forgetAttempts(database(), LIMITS.signInByAccount, input.body.email)
    return DONE
  },
)

export const PATCH = personRoute(
  {
    summary: 'Switches to another workspace of the person.',
    body: z.object({ workspaceId: z.uuid() }),
    output: workspaceOutput,
  },
  async ({ body, person, request, responseHeaders }) => {
    const { workspace } = await assertWorkspaceAccess(database(), person.id, body.workspaceId, 'member')
    const { headers } = await auth().api.setActiveOrganization({
      body: { organizationId: workspace.id },
      headers: request.headers,
      returnHeaders: true,
    })
    passCookies(headers, responseHeaders)
    return workspace
  },
)

export const DELETE = personRoute(
  { summary: 'Signs out.', output: done },
  async ({ actor, request, responseHeaders }) => {
    await signOut(auth(), database(), actor, request.headers, responseHeaders)
    return DONE
  },
)
