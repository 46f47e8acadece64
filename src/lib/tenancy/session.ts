import type { Auth } from './auth.ts'
import type { Person } from './person.ts'

export type SignedIn = { person: Person; sessionId: string; activeWorkspaceId: string | null }

/** Who the cookies belong to. A session that is renewed on the way sets its cookie anew. */
export async function readSession(auth: Auth, headers: Headers, responseHeaders: Headers): Promise<SignedIn | null> {
  const { response, headers: set } = await auth.api.getSession({ headers, returnHeaders: true })
  passCookies(set, responseHeaders)
  if (!response) return null
  const { user, session } = response
  return {
    person: { id: user.id, name: user.name, email: user.email },
    sessionId: session.id,
    activeWorkspaceId: session.activeOrganizationId ?? null,
  }
}

export function passCookies(from: Headers, to: Headers): void {
  for (const cookie of from.getSetCookie()) to.append('set-cookie', cookie)
}
