import { isAPIError } from 'better-auth/api'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordPersonAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { Auth } from './auth.ts'
import { passCookies } from './session.ts'

type Origin = Pick<Actor, 'address' | 'requestId'>

/**
 * Sets the cookies of a new session. An unknown address costs as much time as a wrong password and gets the same
 * answer. Failures are kept in the log of the person's workspaces; the caller has limited their rate.
 */
export async function signIn(
  auth: Auth,
  sql: Sql,
  { email, password }: { email: string; password: string },
  origin: Origin,
  responseHeaders: Headers,
): Promise<void> {
  const signedIn = await auth.api
    .signInEmail({ body: { email, password }, headers: new Headers(), returnHeaders: true })
    .catch((error: unknown) => {
      // By its name, not its class: Next bundles pages and routes apart, each with a copy of better-auth.
      if (isAPIError(error) && error.statusCode === 401) return undefined
      throw error
    })
  if (!signedIn) {
    const { rows } = await sql.query<{ id: string }>('SELECT id FROM users WHERE email = $1', [email])
    await recordPersonAudit(sql, 'person.sign-in-failed', { id: rows[0]?.id ?? NOBODY, email, ...origin })
    throw new PublicError(401, 'wrong-credentials', 'The email address or the password is wrong.')
  }
  await recordPersonAudit(sql, 'person.signed-in', { id: signedIn.response.user.id, email, ...origin })
  passCookies(signedIn.headers, responseHeaders)
}

/** Has no workspace, so that nothing is written: the same statement runs for an address that nobody has. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

export async function signOut(
  auth: Auth,
  sql: Sql,
  actor: Actor,
  headers: Headers,
  responseHeaders: Headers,
): Promise<void> {
  const { headers: set } = await auth.api.signOut({ headers, returnHeaders: true })
  await recordPersonAudit(sql, 'person.signed-out', actor)
  passCookies(set, responseHeaders)
}
