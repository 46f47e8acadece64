import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerHeaders } from '#lib/platform/headers.ts'
import { log } from '#lib/platform/log.ts'

const PATH_LENGTH_LOGGED_MAX = 200

/** A caller's own id is kept when it is harmless to write into a log. */
export function requestIdFrom(given: string | null | undefined): string {
  return given && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID()
}

/**
 * Whatever answers a request in the end, the answer has the headers and a line in the log. Next answers much by itself:
 * redirects, built files, addresses and methods that it does not like. What a route or a page has set is left, and a
 * route of the API has written its own line.
 */
export function seeOut(request: IncomingMessage, response: ServerResponse): void {
  const given = request.headers['x-request-id']
  const requestId = requestIdFrom(typeof given === 'string' ? given : undefined)
  request.headers['x-request-id'] = requestId
  const { method } = request
  const path = withoutSecrets(request.url ?? '')
  const startedMs = performance.now()
  let isLogged = false

  const writeHead = response.writeHead
  response.writeHead = function complete(this: ServerResponse, ...args: unknown[]) {
    isLogged = response.hasHeader('x-request-id') && path.startsWith('/api/')
    if (!response.hasHeader('x-request-id')) response.setHeader('x-request-id', requestId)
    for (const [name, value] of answerHeaders(process.env.APP_URL?.startsWith('https:') ?? false))
      if (!response.hasHeader(name)) response.setHeader(name, value)
    return Reflect.apply(writeHead, this, args)
  } as typeof writeHead

  response.once('close', () => {
    if (isLogged) return
    const told = { requestId, method, path, status: response.statusCode, ms: Math.round(performance.now() - startedMs) }
    log.info(told, response.writableFinished ? 'answered' : 'broken off by the caller')
  })
}

/** Queries may hold what a person typed, and the link in an email is all the authority that its reader has. */
function withoutSecrets(url: string): string {
  const path = url.split('?')[0] ?? ''
  const shown = path.replace(/^(\/u\/).*/s, '$1…')
  return shown.length > PATH_LENGTH_LOGGED_MAX ? `${shown.slice(0, PATH_LENGTH_LOGGED_MAX)}…` : shown
}
