import { PublicError } from '#lib/platform/api-response.ts'
import { clientAddress } from '#lib/platform/client-address.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { guardedRoute, type RouteEntry, type RouteHandler, type RouteInput, type Schemas } from '#lib/platform/route.ts'
import { activeAmong, assertWorkspaceAccess, listMemberships, type WorkspaceAccess } from '#lib/tenancy/access.ts'
import type { Actor, Person } from '#lib/tenancy/person.ts'
import type { Role } from '#lib/tenancy/roles.ts'
import { readSession, type SignedIn } from '#lib/tenancy/session.ts'
import { auth } from './services.ts'

export type PersonContext = { person: Person; actor: Actor; session: SignedIn }

export type WorkspaceContext = PersonContext & WorkspaceAccess

type Input<Params, Query, Body, Context> = RouteInput<Params, Query, Body> & Context

/** For somebody who is signed in, in whatever workspace. 401 for everybody else, before anything else is looked at. */
export function personRoute<Params = unknown, Query = unknown, Body = unknown, Output = unknown>(
  schemas: Schemas<Params, Query, Body, Output>,
  handle: (input: Input<Params, Query, Body, PersonContext>) => Promise<Output | Response>,
): RouteHandler {
  return guardedRoute(schemas, enterAsPerson, (input, context) => handle({ ...input, ...context }))
}

type WorkspaceSchemas<Params, Query, Body, Output> = Schemas<Params, Query, Body, Output> & {
  role: Role
  /** Where the address itself names the workspace. */
  workspaceOf?: (params: Params) => string
}

/**
 * For members with at least `role`: 401 without a session, 403 when the role is too low, 404 for a workspace that is
 * not theirs. The workspace is the session's active one, unless the address or the header x-workspace-id (a tab that
 * stays where it is while another one switches) names it. Everything that `handle` reads or writes is scoped by it.
 */
export function workspaceRoute<Params = unknown, Query = unknown, Body = unknown, Output = unknown>(
  schemas: WorkspaceSchemas<Params, Query, Body, Output>,
  handle: (input: Input<Params, Query, Body, WorkspaceContext>) => Promise<Output | Response>,
): RouteHandler {
  const enter = async (entry: RouteEntry<Params>): Promise<WorkspaceContext> => {
    const context = await enterAsPerson(entry)
    const named = schemas.workspaceOf?.(entry.params) ?? entry.request.headers.get('x-workspace-id')
    const workspaceId = named ?? (await activeWorkspace(context.session))
    return { ...context, ...(await assertWorkspaceAccess(database(), context.person.id, workspaceId, schemas.role)) }
  }
  return guardedRoute(schemas, enter, (input, context) => handle({ ...input, ...context }))
}

async function enterAsPerson(entry: RouteEntry): Promise<PersonContext> {
  const session = await readSession(auth(), entry.request.headers, entry.responseHeaders)
  if (!session)
    throw new PublicError(401, 'not-signed-in', 'You are not signed in, or your session has ended. Sign in.')
  const { person } = session
  return { person, session, actor: { id: person.id, email: person.email, ...originOf(entry) } }
}

async function activeWorkspace(session: SignedIn): Promise<string> {
  const active = activeAmong(await listMemberships(database(), session.person.id), session.activeWorkspaceId)
  if (active) return active.id
  throw new PublicError(
    403,
    'no-workspace',
    'You are in no workspace at the moment. Create one, or ask for an invitation.',
  )
}

/** From where, as the audit log keeps it. */
export function originOf({ request, requestId }: Pick<RouteEntry, 'request' | 'requestId'>): {
  address?: string
  requestId: string
} {
  return { address: clientAddress(request.headers, env()), requestId }
}
