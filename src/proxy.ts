import { randomBytes } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { pageHeaders } from '#lib/platform/headers.ts'

/**
 * Puts the security headers on every page; the API's edge sets its own. Who may do what is decided in each handler,
 * never here. The layout reads x-nonce; Next finds the same nonce in the request's policy and puts it on its own scripts.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(16).toString('base64')
  const headers = pageHeaders({
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
 * memory: so nothing of the API does, and no page with a body, which the front door refuses besides. What stands
 * behind the links in an email, and pages that refuse, set a stricter policy themselves.
 */
export const config = {
  matcher: [
    {
      source: '/((?!_next/static|_next/image|api/|u/|t/|-/).*)',
      missing: [
        { type: 'header', key: 'content-length' },
        { type: 'header', key: 'transfer-encoding' },
      ],
    },
  ],
}
