import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Google } from './google.ts'

/**
 * What is said to Google about permissions. Plain requests: Google's own client repeats a failing one four times, waits
 * without limit, and would have to be loaded for it.
 */
export type Tokens = {
  accessToken: string
  expiresInSeconds: number
  /** Only where Google gives a new one. */
  refreshToken?: string
  scopes?: string[]
  idToken?: string
}

export type TokenAnswer =
  | { ok: true; tokens: Tokens }
  /** `revoked`: a person has to grant it again. `misconfigured`: those who run this installation have to look. */
  | { ok: false; why: 'revoked' | 'misconfigured' | 'unavailable'; text: string }

type AuthorisationAsk = {
  redirectUri: string
  scopes: readonly string[]
  state: string
  verifier: string
  /** Whom the account chooser offers first. */
  loginHint?: string | undefined
}

/** Where a person grants the permissions. */
export function authorisationUrl(google: Google, ask: AuthorisationAsk): string {
  const url = new URL(google.authUrl)
  const parameters = {
    client_id: google.clientId,
    redirect_uri: ask.redirectUri,
    response_type: 'code',
    scope: ask.scopes.join(' '),
    state: ask.state,
    code_challenge: createHash('sha256').update(ask.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    access_type: 'offline',
    // Without it, Google gives no refresh token to who has granted this before.
    prompt: 'consent',
    ...(ask.loginHint && { login_hint: ask.loginHint }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

export function exchangeCode(
  google: Google,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
  msMax: number,
): Promise<TokenAnswer> {
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  return askForTokens(google, fields, msMax)
}

export function renewTokens(google: Google, refreshToken: string, msMax: number): Promise<TokenAnswer> {
  return askForTokens(google, { grant_type: 'refresh_token', refresh_token: refreshToken }, msMax)
}

/** Answers whether Google has taken the permission back; one that it did not know is as good as taken back. */
export async function revokeToken({ revokeUrl }: Google, token: string, msMax: number): Promise<boolean> {
  try {
    const response = await post(revokeUrl, { token }, msMax)
    const { error } = errorSchema.parse(await response.json().catch(() => ({})))
    return response.ok || error === 'invalid_token'
  } catch {
    return false
  }
}

const tokensSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().nonnegative(),
  refresh_token: z.string().min(1).optional(),
  scope: z.string().optional(),
  id_token: z.string().optional(),
})

const errorSchema = z.object({ error: z.string().catch(''), error_description: z.string().catch('') })

async function askForTokens(google: Google, fields: Record<string, string>, msMax: number): Promise<TokenAnswer> {
  const { clientId, clientSecret, tokenUrl } = google
  let response: Response
  let body: unknown
  try {
    response = await post(tokenUrl, { ...fields, client_id: clientId, client_secret: clientSecret }, msMax)
    body = await response.json()
  } catch (error) {
    return { ok: false, why: 'unavailable', text: error instanceof Error ? error.message : String(error) }
  }
  const given = tokensSchema.safeParse(body)
  if (response.ok && given.success) {
    const { access_token, expires_in, refresh_token, scope, id_token } = given.data
    return {
      ok: true,
      tokens: {
        ...{ accessToken: access_token, expiresInSeconds: expires_in },
        ...(refresh_token !== undefined && { refreshToken: refresh_token }),
        ...(scope !== undefined && { scopes: scope.split(' ').filter(Boolean) }),
        ...(id_token !== undefined && { idToken: id_token }),
      },
    }
  }
  const { error, error_description } = errorSchema.parse(typeof body === 'object' && body !== null ? body : {})
  const text = [response.status, error, error_description].filter(Boolean).join(' ')
  if (error === 'invalid_grant') return { ok: false, why: 'revoked', text }
  return { ok: false, why: MISCONFIGURED.has(error) ? 'misconfigured' : 'unavailable', text }
}

const MISCONFIGURED: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'redirect_uri_mismatch',
  'deleted_client',
])

function post(url: string, fields: Record<string, string>, msMax: number): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    signal: AbortSignal.timeout(Math.max(1, Math.ceil(msMax))),
    redirect: 'error',
  })
}

const identitySchema = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string().min(1),
  email: z.string().min(3),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional(),
})

export type Identity = { subject: string; email: string }

/**
 * Whose account it is. The token came straight from Google over TLS, so its signature adds nothing (OpenID Connect, 3.1.3.7).
 */
export function identityIn(idToken: string | undefined, { clientId }: Google): Identity | undefined {
  try {
    const claims = identitySchema.parse(
      JSON.parse(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString('utf8')),
    )
    if (claims.aud !== clientId || claims.email_verified === false) return undefined
    if (!['accounts.google.com', 'https://accounts.google.com'].includes(claims.iss)) return undefined
    return { subject: claims.sub, email: claims.email }
  } catch {
    return undefined
  }
}
