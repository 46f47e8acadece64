import { system } from '#lib/contract/system.ts'
import { publishedDocument } from '#lib/openapi/published.ts'
import { route } from '#lib/platform/http/route.ts'

export const dynamic = 'force-dynamic'

export const GET = route(system.openapi, async ({ request }) => {
  const { text, etag } = publishedDocument()
  const headers = { etag, 'cache-control': 'public, no-cache' }
  const seen = request.headers.get('if-none-match')?.split(',') ?? []
  if (seen.some((tag) => tag.trim() === etag)) return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } })
})
