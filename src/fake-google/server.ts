import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, apiError, oauthError, onlyKnown, Refusal } from './answers.ts'
import { consentPage } from './consent-page.ts'
import { type Method, methodsOf } from './gmail.ts'
import { Oauth, readAsk } from './oauth.ts'
import { Quotas } from './quotas.ts'
import type { Fault, Script } from './script.ts'
import type { State } from './state.ts'

export type FakeGoogle = {
  state: State
  script: Script
  client: { id: string; secret: string }
  deliver: (to: string[], from: string, raw: Buffer) => void
}

const BODY_BYTES_MAX = 50 * 1024 * 1024
/** Parameters that every method of Google's takes. */
const COMMON_QUERY = ['alt', 'fields', 'key', 'prettyPrint', 'quotaUser', 'userIp']

/** On this machine only. */
export async function listen(google: FakeGoogle, port: number): Promise<{ port: number; oauth: Oauth }> {
  const oauth = new Oauth(google.state, google.script, google.client)
  const quotas = new Quotas(google.script)
  const methods = methodsOf({ ...google, quotas })
  const server = createServer(async (request, response) => {
    try {
      await answer({ ...google, quotas }, oauth, methods, request, response)
    } catch (error) {
      if (error instanceof Refusal) return send(response, error.answer)
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      send(response, apiError(500, 'backendError', 'Backend Error'))
    }
  })
  server.keepAliveTimeout = 60_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, oauth }
}

/** Who waits for tokens. */
const asking = { count: 0 }

type Methods = Readonly<Record<string, Method>>

async function answer(
  { state, script, client, quotas }: FakeGoogle & { quotas: Quotas },
  oauth: Oauth,
  methods: Methods,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const name = `${request.method} ${url.pathname}`
  const text = await bodyOf(request)
  if (name === 'GET /o/oauth2/v2/auth') {
    const asked = readAsk(url.searchParams, client.id)
    return page(response, consentPage(asked, url.searchParams.toString()))
  }
  if (name === 'POST /consent') return redirect(response, consent(oauth, client.id, new URLSearchParams(text)))
  if (name === 'POST /token') {
    asking.count += 1
    if (asking.count > 1) state.happened({ event: 'asked-together', at: Date.now(), count: asking.count })
    return withFault(response, script.meet('token', undefined), () => oauth.token(new URLSearchParams(text))).finally(
      () => {
        asking.count -= 1
      },
    )
  }
  if (name === 'POST /revoke')
    return withFault(response, script.meet('revoke', undefined), () => oauth.revoke(new URLSearchParams(text)))

  const found = methodAt(methods, request.method ?? '', url.pathname)
  if (!found) throw new Refusal(apiError(404, 'notFound', `${name} is not played here`))
  const { method, id } = found
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const access = state.access.get(bearer)
  if (!access || access.endsAt < Date.now() || access.grant.isRevoked)
    throw new Refusal(apiError(401, 'authError', 'Invalid Credentials'))
  const { email, scopes } = access.grant
  const fault = script.meet(method.op, email)
  await withFault(response, fault, () => {
    if (!scopes.some((scope) => method.scopes.includes(scope)))
      throw new Refusal(apiError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.'))
    const query: Record<string, string | string[]> = {}
    for (const key of new Set(url.searchParams.keys())) {
      const values = url.searchParams.getAll(key)
      query[key] = values.length > 1 ? values : (values[0] ?? '')
    }
    onlyKnown(query, [...(method.query ?? []), ...COMMON_QUERY], 'query')
    quotas.spend(method.op, email, Date.now())
    return method.run({ account: state.account(email), id, query, body: text === '' ? undefined : JSON.parse(text) })
  })
}

function methodAt(methods: Methods, verb: string, path: string): { method: Method; id: string } | undefined {
  const rest = /^\/gmail\/v1\/users\/me(\/.*)$/.exec(path)?.[1]
  if (rest === undefined) return undefined
  const plain = methods[`${verb} ${rest}`]
  if (plain) return { method: plain, id: '' }
  const [, room = '', id = ''] = /^\/(\w+)\/([^/]+)$/.exec(rest) ?? []
  const method = methods[`${verb} /${room}/:id`]
  return method && { method, id: decodeURIComponent(id) }
}

function consent(oauth: Oauth, clientId: string, form: URLSearchParams): string {
  const asked = readAsk(new URLSearchParams(form.get('ask') ?? ''), clientId)
  const back = new URL(asked.redirectUri)
  back.searchParams.set('state', asked.state)
  const email = (form.get('email') ?? '').trim().toLowerCase()
  if (form.get('answer') !== 'allow') back.searchParams.set('error', 'access_denied')
  else {
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Refusal(oauthError(400, 'invalid_request', 'Sign in as somebody.'))
    back.searchParams.set('code', oauth.grant(email, asked, form.getAll('scope')))
  }
  return back.href
}

/** Does what was asked for, unless the fault comes before it; and answers, unless the fault comes after. */
async function withFault(response: ServerResponse, fault: Fault | undefined, act: () => Answer): Promise<void> {
  if (!fault) return send(response, acted(act))
  if (fault.lateMs !== undefined) await sleep(fault.lateMs)
  const acts = fault.acts ?? (fault.answer === undefined && fault.ending === undefined)
  const early = acts ? acted(act) : undefined
  if (fault.delayMs !== undefined) await sleep(fault.delayMs)
  const whole = early ?? { status: 200, body: {} }
  const { answer, ending } = fault
  if (ending === 'hang') return
  if (ending === 'reset') return void response.socket?.resetAndDestroy()
  if (ending === 'truncate' || ending === 'trickle') {
    const body = JSON.stringify(whole.body ?? {})
    response.writeHead(whole.status, { 'content-type': 'application/json', 'content-length': body.length + 40 })
    response.write(body.slice(0, body.length / 2))
    if (ending === 'truncate') setImmediate(() => response.socket?.destroy())
    return
  }
  if (!answer) return send(response, whole)
  const { status, reason = 'backendError', message = 'Scripted', retryAfter, body } = answer
  send(response, body === undefined ? apiError(status, reason, message, retryAfter) : { status, body })
}

function acted(act: () => Answer): Answer {
  try {
    return act()
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) throw new Refusal(apiError(413, 'uploadTooLarge', 'Request is too large.'))
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.destroyed) return
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const type = text === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }
  response.writeHead(status, { ...type, ...headers })
  response.end(text)
}

function page(response: ServerResponse, html: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
  response.end(html)
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action *"

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location })
  response.end()
}
