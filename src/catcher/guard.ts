import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Named by the port: cookies do not tell the ports of a host apart, and two catchers may run on one machine. */
export const cookieName = (request: IncomingMessage) => `catcher-${request.socket.localPort}`

/** A website whose name was made to point at 127.0.0.1 still sends its own name: that is how it is told apart. */
export function isLocalHost({ headers }: IncomingMessage): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(headers.host ?? '')
}

/** Browsers say who asks. What says nothing is no browser, and no website can make it ask. */
export function isOwnPage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin'
}

/** The ports of this machine are open to all of its accounts; only the token tells its owner apart. */
export function isAllowed(request: IncomingMessage, token: string): boolean {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  const cookies = (request.headers.cookie ?? '').split(/;\s*/).map((cookie) => cookie.split('='))
  const kept = cookies.flatMap(([name, value]) => (name === cookieName(request) && value) || [])
  return [bearer ?? [], kept].flat().some((given) => isToken(given, token))
}

export function isToken(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
