import { PublicError } from './api-response.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The origins that this installation is opened at. */
export function ownOrigins(env: { APP_URL: string; VERCEL_URL?: string; VERCEL_BRANCH_URL?: string }): Set<string> {
  const app = new URL(env.APP_URL)
  const origins = new Set([app.origin])
  // At home people type localhost or 127.0.0.1 and mean the same.
  if (LOOPBACK.includes(app.hostname)) {
    for (const host of LOOPBACK) origins.add(new URL(`${app.protocol}//${host}:${app.port}`).origin)
  }
  // A preview deployment has an address of its own, which Vercel sets.
  for (const host of [env.VERCEL_URL, env.VERCEL_BRANCH_URL]) if (host) origins.add(`https://${host}`)
  return origins
}

/**
 * Refuses a change that another site's page asks the browser for. The Host header is no witness: behind DNS rebinding
 * it agrees with a foreign Origin. A program without cookies sends neither header and has nothing to be robbed of.
 */
export function refuseForeignOrigin(request: Request, origins: () => Set<string>): void {
  if (READS.includes(request.method)) return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw foreign()
  if (origin !== null && !origins().has(origin)) throw foreign()
  if (origin === null && site === null && request.headers.has('cookie')) throw foreign()
}

/**
 * The same for a read that leaves a trace: a link on another site's page sends the cookies of a person who follows it.
 * An address that was typed or kept as a bookmark says `none`.
 */
export function refuseForeignRead(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site === null ? request.headers.has('cookie') : site !== 'same-origin' && site !== 'none') throw foreign()
}

const foreign = () =>
  new PublicError(
    403,
    'foreign-origin',
    'This was asked for by another site, so nothing was done. Open Sendonce at its own address and try again.',
  )
