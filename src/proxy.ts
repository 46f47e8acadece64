import { randomBytes } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { securityHeaders } from '#lib/platform/headers.ts'

/**
 * Puts the security headers on every page and answer. Who may do what is decided in each handler, never here. The
 * layout reads x-nonce; Next finds the same nonce in the request's policy and puts it on its own scripts.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(16).toString('base64')
  const headers = securityHeaders({
    nonce,
    https: process.env.APP_URL?.startsWith('https:') ?? false,
    development: process.env.NODE_ENV === 'development',
  })
  const forwarded = new Headers(request.headers)
  forwarded.set('x-nonce', nonce)
  // A layout is not told where it stands, and must know it to lead people back there after they have signed in.
  forwarded.set('x-page', request.nextUrl.pathname + request.nextUrl.search)
  for (const [name, value] of headers) if (name === 'content-security-policy') forwarded.set(name, value)
  const response = NextResponse.next({ request: { headers: forwarded } })
  for (const [name, value] of headers) response.headers.set(name, value)
  return response
}

/**
 * Built files are the same for everybody and run nothing by themselves. Next keeps the body of whatever passes here in
 * memory, and drops what is beyond 10 MB: an import sets its headers itself. So do the pages that are not Next's: the one
 * behind the link in an email, and the frame that shows a foreign text; their policies are stricter.
 */
export const config = {
  matcher: ['/((?!_next/static|_next/image|api/prospects/import$|u/[^/]*$|api/sequences/[^/]+/preview/frame$).*)'],
}
