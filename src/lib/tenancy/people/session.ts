import { isAPIError } from 'better-auth/api'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Person } from '#lib/tenancy/person.ts'
import type { Auth } from './auth.ts'

type Found = NonNullable<Awaited<ReturnType<Auth['api']['getSession']>>>

export type SignedIn = { person: Person; sessionId: string; activeWorkspaceId: string | null }

/**
 * Who the cookies belong to. A session that is renewed on the way sets its cookie anew. One that was ended while it was
 * renewed is nobody's. Where the database could not be asked, better-auth keeps why for itself.
 */
export async function readSession(auth: Auth, headers: Headers, responseHeaders: Headers): Promise<SignedIn | null> {
  const found = await auth.api.getSession({ headers, returnHeaders: true }).catch((error: unknown) => {
    if (isAPIError(error) && error.statusCode === 401) return undefined
    throw isAPIError(error) && error.statusCode === 500 ? cannotBeAsked() : error
  })
  if (!found) return null
  passCookies(found.headers, responseHeaders)
  return found.response && signedIn(found.response)
}

const cannotBeAsked = () =>
  new PublicError(
    503,
    'database-away',
    'The database cannot be reached at the moment, so nobody can say whose session this is. Try again in a few seconds.',
    { retryAfterSeconds: 5 },
  )

/** For a page, which cannot set a cookie: it looks and renews nothing. The calls that follow it do. */
export async function peekSession(auth: Auth, headers: Headers): Promise<SignedIn | null> {
  const found = await auth.api.getSession({ headers, query: { disableRefresh: true } })
  return found && signedIn(found)
}

export function passCookies(from: Headers, to: Headers): void {
  for (const cookie of from.getSetCookie()) to.append('set-cookie', cookie)
}

function signedIn({ user, session }: Found): SignedIn {
  return {
    person: { id: user.id, name: user.name, email: user.email },
    sessionId: session.id,
    activeWorkspaceId: session.activeOrganizationId ?? null,
  }
}
