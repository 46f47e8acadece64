import { PLAIN_PAGE_POLICY, plainPage } from '#components/plain/plain-page.ts'
import { REFUSED } from '#lib/platform/http/front-door.ts'

export const dynamic = 'force-dynamic'

/** The front door leads here what it does not let through to a page, and this says why. */
export function GET(request: Request): Response {
  const { pathname } = new URL(request.url)
  const { status, words, allow } = refusalAt(pathname)
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PLAIN_PAGE_POLICY,
    'cache-control': 'no-store',
  })
  if (allow) headers.set('allow', allow)
  return new Response(plainPage(words), { status, headers })
}

type Refusal = { status: number; words: { title: string; text: string }; allow?: string }

function refusalAt(pathname: string): Refusal {
  const methods = pathname.startsWith(REFUSED.pageMethod) ? pathname.slice(REFUSED.pageMethod.length) : ''
  if (/^[A-Z]{3,7}(-[A-Z]{3,7})*$/.test(methods)) {
    const allow = methods.replaceAll('-', ', ')
    const text = `Pages are opened with ${allow}, and with no other method.`
    return { status: 405, words: { title: 'This is not how a page is opened', text }, allow }
  }
  if (pathname === REFUSED.pageBody) {
    const text = 'A page is asked for, and nothing is sent with it. Open the address again without a body.'
    return { status: 400, words: { title: 'This is not how a page is opened', text } }
  }
  if (pathname === REFUSED.pageAddress) {
    const text = 'It holds a % that stands for no character. Copy the whole address, and open it again.'
    return { status: 400, words: { title: 'This address cannot be read', text } }
  }
  const text = 'It may be mistyped. Start from the front page.'
  return { status: 404, words: { title: 'There is nothing at this address', text } }
}
