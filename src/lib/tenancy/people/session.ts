import type { Person } from '#lib/tenancy/person.ts'
import type { Auth } from './auth.ts'

type Found = NonNullable<Awaited<ReturnType<Auth['api']['getSession']>>>

export type SignedIn = { person: Person; sessionId: string; activeWorkspaceId: string | null }

/** Who the cookies belong to. A session that is renewed on the way sets its cookie anew. */
export async function readSession(auth: Auth, headers: Headers, responseHeaders: Headers): Promise<SignedIn | null> {
  const { response, headers: set } = await auth.api.getSession({ headers, returnHeaders: true })
  passCookies(set, responseHeaders)
  return response && signedIn(response)
}

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
