import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { REFUSED } from '#lib/platform/http/front-door.ts'
import { guardedRoute } from '#lib/platform/http/route.ts'

/** Programs ask here: also for an address that does not exist they get the envelope, and no page. */
const nowhere = guardedRoute(
  {
    method: 'GET',
    path: '/api/[...path]',
    summary: 'What answers at every other address, to every method.',
    access: 'public',
    output: z.never(),
  },
  async ({ request, responseHeaders }) => {
    const { pathname } = new URL(request.url)
    const allowed = methodsIn(pathname)
    if (allowed) {
      responseHeaders.set('allow', allowed)
      throw new PublicError(405, 'method-not-allowed', `This address takes ${allowed}, and no other method.`)
    }
    if (pathname === REFUSED.address)
      throw new PublicError(400, 'malformed-address', 'The address holds a % that stands for no character.')
    throw new PublicError(404, 'no-such-address', 'The API has nothing at this address.')
  },
  async (_input, never: never) => never,
)

/** The front door leads here what another address refuses, and names what it takes. */
function methodsIn(pathname: string): string | undefined {
  const methods = pathname.startsWith(REFUSED.method) ? pathname.slice(REFUSED.method.length) : ''
  return /^[A-Z]{3,7}(-[A-Z]{3,7})*$/.test(methods) ? methods.replaceAll('-', ', ') : undefined
}

export { nowhere as DELETE, nowhere as GET, nowhere as PATCH, nowhere as POST, nowhere as PUT }
