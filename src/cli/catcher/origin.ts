import type { IncomingMessage } from 'node:http'
import { USER_AGENT } from './list-unsubscribe.ts'

/** A website whose name was made to point at 127.0.0.1 still sends its own name: that is how it is told apart. */
export function isLocalHost({ headers }: IncomingMessage): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(headers.host ?? '')
}

/** Browsers say who asks. What says nothing is no browser, and no website can make it ask. */
export function isOwnPage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  // A mail may name the catcher itself as the place to unsubscribe at; it would then ask itself without end.
  if (headers['user-agent'] === USER_AGENT) return false
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin'
}
