import { createHash } from 'node:crypto'
import { type Answer, oauthError, ok, Refusal } from './answers.ts'
import type { Script } from './script.ts'
import { newToken, type State } from './state.ts'

const G = 'https://www.googleapis.com/auth/gmail'

/** Those that Google's list names, as far as a mail program asks for them. */
export const SCOPES: readonly string[] = [
  ...['openid', 'email', 'profile', 'https://mail.google.com/'],
  ...['readonly', 'metadata', 'modify', 'insert', 'compose', 'send', 'labels', 'settings.basic'].map(
    (one) => `${G}.${one}`,
  ),
]

/** What is granted without a question: who someone is. */
const IDENTITY = ['openid', 'email', 'profile']

/** As Google names them in an answer. */
const LONG: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
}

const AUTH_PARAMETERS = [
  ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
  ...['access_type', 'prompt', 'login_hint', 'include_granted_scopes', 'nonce', 'hd'],
]

export type Asked = {
  redirectUri: string
  scopes: string[]
  state: string
  challenge: string
  loginHint: string
}

/** What a program wants of a person; refuses what Google's documentation does not name. */
export function readAsk(query: URLSearchParams, clientId: string): Asked {
  const refuse = (why: string) => new Refusal({ status: 400, body: `Error 400: invalid_request. ${why}` })
  for (const name of query.keys()) if (!AUTH_PARAMETERS.includes(name)) throw refuse(`Parameter not allowed: ${name}`)
  if (query.get('client_id') !== clientId) throw refuse('The OAuth client was not found.')
  if (query.get('response_type') !== 'code') throw refuse('Invalid response_type')
  const redirectUri = URL.parse(query.get('redirect_uri') ?? '')
  if (!redirectUri || !['localhost', '127.0.0.1'].includes(redirectUri.hostname)) throw refuse('redirect_uri_mismatch')
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
  const stranger = scopes.find((scope) => !SCOPES.includes(scope))
  if (stranger !== undefined || scopes.length === 0) throw refuse(`Some requested scopes were invalid: ${stranger}`)
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(query.get('code_challenge') ?? ''))
    throw refuse('A code_challenge with S256 is asked for here.')
  return {
    redirectUri: redirectUri.href,
    scopes,
    state: query.get('state') ?? '',
    challenge: query.get('code_challenge') ?? '',
    loginHint: query.get('login_hint') ?? '',
  }
}

type Code = { email: string; scopes: string[]; redirectUri: string; challenge: string; endsAt: number }

const CODE_MS = 10 * 60_000

/** Codes, tokens, and the taking back of them. */
export class Oauth {
  readonly #state: State
  readonly #script: Script
  readonly #client: { id: string; secret: string }
  readonly #codes = new Map<string, Code>()

  constructor(state: State, script: Script, client: { id: string; secret: string }) {
    this.#state = state
    this.#script = script
    this.#client = client
  }

  /** The person has agreed to some or all of it. */
  grant(email: string, { redirectUri, scopes, challenge }: Asked, ticked: readonly string[]): string {
    const code = newToken('4')
    const granted = scopes.filter((scope) => IDENTITY.includes(scope) || ticked.includes(scope))
    this.#codes.set(code, { email, scopes: granted, redirectUri, challenge, endsAt: Date.now() + CODE_MS })
    return code
  }

  token(form: URLSearchParams): Answer {
    const given = Object.fromEntries(form)
    const known: Record<string, readonly string[]> = {
      authorization_code: ['code', 'redirect_uri', 'code_verifier'],
      refresh_token: ['refresh_token', 'scope'],
    }
    const fields = known[given.grant_type ?? '']
    if (!fields) throw new Refusal(oauthError(400, 'unsupported_grant_type', 'Invalid grant_type'))
    const stranger = Object.keys(given).find(
      (name) => ![...fields, 'grant_type', 'client_id', 'client_secret'].includes(name),
    )
    if (stranger) throw new Refusal(oauthError(400, 'invalid_request', `Parameter not allowed: ${stranger}`))
    if (given.client_id !== this.#client.id || given.client_secret !== this.#client.secret)
      throw new Refusal(oauthError(401, 'invalid_client', 'The provided client secret is invalid.'))
    return given.grant_type === 'refresh_token' ? this.#renew(given.refresh_token ?? '') : this.#exchange(given)
  }

  revoke(form: URLSearchParams): Answer {
    const token = form.get('token') ?? ''
    const grant = this.#state.grants.get(token) ?? this.#state.access.get(token)?.grant
    if (!grant || grant.isRevoked) throw new Refusal(oauthError(400, 'invalid_token', 'Token expired or revoked'))
    this.#state.happened({ event: 'revoked', at: Date.now(), email: grant.email })
    return ok({})
  }

  /** At Google's own pages: the person, or an administrator, takes it all back. */
  takeBack(email: string): void {
    this.#state.happened({ event: 'revoked', at: Date.now(), email })
  }

  #exchange(given: Record<string, string | undefined>): Answer {
    const code = this.#codes.get(given.code ?? '')
    // Once, whatever comes of it.
    this.#codes.delete(given.code ?? '')
    const challenge = createHash('sha256')
      .update(given.code_verifier ?? '')
      .digest('base64url')
    if (!code || code.endsAt < Date.now() || code.redirectUri !== given.redirect_uri || code.challenge !== challenge)
      throw new Refusal(oauthError(400, 'invalid_grant', 'Bad Request'))
    const { email, scopes } = code
    const { subject } = this.#state.account(email)
    const refreshToken = newToken('1')
    this.#state.happened({ event: 'granted', at: Date.now(), email, subject, refreshToken, scopes })
    const claims = {
      iss: 'https://accounts.google.com',
      aud: this.#client.id,
      sub: subject,
      email,
      email_verified: true,
    }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    return ok({
      ...this.#accessFor(refreshToken),
      ...{ refresh_token: refreshToken, id_token: `${part({ alg: 'none' })}.${part(claims)}.` },
    })
  }

  #renew(refreshToken: string): Answer {
    const grant = this.#state.grants.get(refreshToken)
    if (!grant || grant.isRevoked)
      throw new Refusal(oauthError(400, 'invalid_grant', 'Token has been expired or revoked.'))
    if (!this.#script.play.rotates) return ok(this.#accessFor(refreshToken))
    const next = newToken('1')
    this.#state.happened({ event: 'rotated', at: Date.now(), from: refreshToken, to: next })
    return ok({ ...this.#accessFor(next), refresh_token: next })
  }

  #accessFor(refreshToken: string) {
    const { accessSeconds } = this.#script.play
    const accessToken = newToken('ya29')
    const at = Date.now()
    this.#state.happened({ event: 'access', at, refreshToken, accessToken, endsAt: at + accessSeconds * 1_000 })
    const scopes = this.#state.grants.get(refreshToken)?.scopes ?? []
    return {
      ...{ access_token: accessToken, expires_in: accessSeconds, token_type: 'Bearer' },
      scope: scopes.map((scope) => LONG[scope] ?? scope).join(' '),
    }
  }
}
