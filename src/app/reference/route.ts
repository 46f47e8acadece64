import { cookies } from 'next/headers'
import { referencePage } from '#components/reference/reference-page.ts'
import { parseTheme, THEME_COOKIE } from '#components/theme.ts'

/** Behind __Secure- where there is HTTPS. Whether it still opens anything is asked when something is tried. */
const SESSION_COOKIE = 'sendonce.session_token'

export const dynamic = 'force-dynamic'

/** The API reference: the proxy gives it the policy and the nonce of every page. */
export async function GET(request: Request): Promise<Response> {
  const kept = await cookies()
  const theme = parseTheme(kept.get(THEME_COOKIE)?.value)
  const isSignedIn = kept.getAll().some(({ name }) => name.endsWith(SESSION_COOKIE))
  const nonce = request.headers.get('x-nonce') ?? ''
  return new Response(referencePage({ nonce, theme, isSignedIn }), {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}
