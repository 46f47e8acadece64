import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { isPeerKnown, PEER_HEADER, vouchForPeer } from '#lib/platform/client-address.ts'
import { ARRIVED_HEADER, readAtMs } from './arrived.ts'
import { answerWhatIsNoRequest } from './broken-requests.ts'
import { seeOut } from './see-out.ts'

/** Where the API answers in the envelope what no route of its own could, and where a page says it to a person. */
export const REFUSED = {
  address: '/api/-/address',
  method: '/api/-/method/',
  pageAddress: '/-/address',
  pageMethod: '/-/method/',
  pageBody: '/-/body',
} as const

/** Which methods an address of the API takes; undefined where nothing is. */
export type MethodsAt = (path: string) => readonly string[] | undefined

const METHODS_OF_PAGES = ['GET', 'HEAD']
/** Of the page behind the link in an email, whose button posts. */
const METHODS_OF_LINKS = ['GET', 'HEAD', 'POST', 'OPTIONS']

type Started = { request: IncomingMessage; response: ServerResponse; server: Server }

/**
 * Looks at every request of this process before Next does. Next tells its handlers nothing of the socket, breaks on
 * addresses that cannot be decoded and on methods that it does not know, refuses other methods without a word, and
 * answers much by itself, without headers or a line in the log. Node publishes each request on this channel before any
 * listener of the server gets it.
 */
export function openFrontDoor(methodsAt: MethodsAt): void {
  if (isPeerKnown()) return
  vouchForPeer()
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: { server?: Server } }
    if (socket.server) answerWhatIsNoRequest(socket.server)
  })
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as Started
    seeOut(request, response)
    admit(request, methodsAt)
  })
}

export function admit(request: IncomingMessage, methodsAt: MethodsAt): void {
  request.headers[PEER_HEADER] = request.socket.remoteAddress ?? ''
  request.headers[ARRIVED_HEADER] = String(readAtMs())
  // A length of nothing is no body, and some clients send it with every GET.
  if (request.headers['content-length'] === '0') delete request.headers['content-length']
  const url = resolved(onlyPathAndQuery(request.url ?? '/'))
  request.url = url
  const { method = 'GET' } = request
  const [path = '/'] = url.split('?')
  const isOfTheApi = path.startsWith('/api/')
  if (!path.startsWith('/') || !isDecodable(path)) {
    lead(request, isOfTheApi ? REFUSED.address : REFUSED.pageAddress)
    return
  }
  const allowed = isOfTheApi ? methodsAt(path) : path.startsWith('/u/') ? METHODS_OF_LINKS : METHODS_OF_PAGES
  if (!allowed) lead(request, url)
  else if (!allowed.includes(method))
    lead(request, `${isOfTheApi ? REFUSED.method : REFUSED.pageMethod}${allowed.join('-')}`)
  else if (allowed === METHODS_OF_PAGES && hasBody(request)) lead(request, REFUSED.pageBody)
}

/** Next keeps the body of whatever passes the proxy in memory, and so no page with a body passes there. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * As proxies ask, and as anybody may: Next would lead the caller to whatever host stands there, and find a route behind
 * whose fragment no method was looked for.
 */
function onlyPathAndQuery(url: string): string {
  const [whole = ''] = url.split('#')
  return whole.replace(/^https?:\/\/[^/?]*(?=[/?]|$)/i, '').replace(/^(?=[?]|$)/, '/')
}

/** As every client does before it sends: Next does it too, and would find a route that the door has not looked at. */
function resolved(url: string): string {
  const [path = '', ...query] = url.split('?')
  if (!path.startsWith('/') || !/\\|\/(\.|%2e){1,2}(\/|$)/i.test(path)) return url
  const whole = `http://localhost${path}`
  return [URL.canParse(whole) ? new URL(whole).pathname : path, ...query].join('?')
}

/** The answer to HEAD has no body, whatever it is answered with. */
function lead(request: IncomingMessage, url: string): void {
  request.url = url
  if (request.method !== 'HEAD') request.method = 'GET'
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
