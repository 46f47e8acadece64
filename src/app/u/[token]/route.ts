import { PLAIN_PAGE_POLICY } from '#components/plain/plain-page.ts'
import { type UnsubscribeView, unsubscribePage } from '#components/unsubscribe/unsubscribe-page.ts'
import { subscribeReaderAgain, unsubscribeReader, viewReader } from '#lib/audience/prospects/unsubscribe.ts'
import { type Reader, readUnsubscribeToken, TEST_LINK_TOKEN } from '#lib/audience/prospects/unsubscribe-link.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { chunksWithin, type Pace } from '#lib/platform/http/chunks-within.ts'
import { requestIdOf } from '#lib/platform/http/route.ts'
import { log } from '#lib/platform/log.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { keyring } from '#lib/wiring/keyring.ts'
import { limitByAddress } from '../../api/limit.ts'

export const dynamic = 'force-dynamic'

type Context = { params: Promise<{ token: string }> }

/**
 * The page behind the link in every campaign email. Not one of the API's routes, and on purpose: the token is all the
 * authority there is, so that it asks for no cookie, no origin and no JSON, and answers mail programs (RFC 8058) and
 * readers alike, at once and without a redirect. GET only looks: programs that check links open every one.
 */
export const GET = (request: Request, context: Context): Promise<Response> =>
  answering(request, context, async (reader) => {
    const view = await viewReader(database(), reader)
    return view ? { state: view.subscription, workspaceName: view.workspaceName } : { state: 'invalid' }
  })

/** Whatever is posted here unsubscribes, except for the page's own wish to come back: nobody's wish to leave is lost. */
export const POST = (request: Request, context: Context): Promise<Response> =>
  answering(request, context, async (reader) => {
    const form = await readForm(request)
    if (form?.get('intent') === 'subscribe') {
      const subscription = await inTransaction(database(), (tx) => subscribeReaderAgain(tx, reader))
      return named(reader, subscription === 'subscribed' ? 'subscribed-again' : 'unsubscribed-by-others')
    }
    const via = form?.has('intent') ? 'page' : 'one-click'
    const left = await inTransaction(database(), (tx) =>
      unsubscribeReader(tx, reader, via, consequencesIn(reader.workspaceId).cancelWaiting),
    )
    return left ? named(reader, 'done') : { state: 'invalid' }
  })

async function named(
  reader: Reader,
  state: 'done' | 'subscribed-again' | 'unsubscribed-by-others',
): Promise<UnsubscribeView> {
  const view = await viewReader(database(), reader)
  if (!view) return { state: 'invalid' }
  // What the form offers must be what would happen.
  const isOthers = view.subscription === 'unsubscribed-by-others'
  return { state: isOthers ? 'unsubscribed-by-others' : state, workspaceName: view.workspaceName }
}

async function answering(
  request: Request,
  { params }: Context,
  act: (reader: Reader) => Promise<UnsubscribeView>,
): Promise<Response> {
  const requestId = requestIdOf(request)
  try {
    const { token } = await params
    if (token === TEST_LINK_TOKEN) return answer({ state: 'test' }, requestId)
    const reader = await readUnsubscribeToken(database(), keyring(), token)
    return answer(reader ? await act(reader) : await refuse(request), requestId)
  } catch (error) {
    // Not the address that was asked for: a reader of the log must not be able to open the link.
    log.error({ error, requestId, method: request.method }, 'unsubscribing failed')
    return answer({ state: 'failed' }, requestId)
  }
}

async function refuse(request: Request): Promise<UnsubscribeView> {
  try {
    await limitByAddress({ request }, LIMITS.forgedLinksByAddress)
    return { state: 'invalid' }
  } catch (error) {
    if (error instanceof PublicError && error.status === 429) return { state: 'too-many' }
    throw error
  }
}

const STATUS: Partial<Record<UnsubscribeView['state'], number>> = { invalid: 404, 'too-many': 429, failed: 500 }

function answer(view: UnsubscribeView, requestId: string): Response {
  return new Response(unsubscribePage(view), {
    status: STATUS[view.state] ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PLAIN_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-request-id': requestId,
    },
  })
}

const FORM_BYTES_MAX = 16 * 1024
const PACE: Pace = { totalMs: 30_000, idleMs: 30_000 }

/** Urlencoded or multipart; undefined for anything else, and for what is far larger or slower than our form. */
async function readForm(request: Request): Promise<FormData | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body ? chunksWithin(request.body, PACE) : []) {
      bytes += chunk.byteLength
      if (bytes > FORM_BYTES_MAX) return undefined
      chunks.push(chunk)
    }
    const type = request.headers.get('content-type') ?? ''
    return await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData()
  } catch {
    return undefined
  }
}
