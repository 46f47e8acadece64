import { after } from 'next/server'
import { PLAIN_PAGE_POLICY, plainPage } from '#components/plain/plain-page.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { requestIdOf } from '#lib/platform/http/route.ts'
import { log } from '#lib/platform/log.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { isMachine } from '#lib/tracking/machines.ts'
import { readTrackingToken } from '#lib/tracking/tracking-keys.ts'
import { keyring } from '#lib/wiring/keyring.ts'
import { hitRecorder } from '#lib/wiring/tracking.ts'
import { limitByAddress } from '../../api/limit.ts'

export const dynamic = 'force-dynamic'

type Context = { params: Promise<{ token: string }> }

/**
 * Behind the links and the picture of tracked emails. Answers first and counts afterwards: a reader waits for nothing but
 * a signature. Asks for no cookie, sets none, and keeps neither the reader's address nor their program.
 */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const requestId = requestIdOf(request)
  try {
    const { token } = await params
    const asked = await readTrackingToken(database(), keyring(), token)
    if (!asked) return await refuse(request, requestId)
    if (!isMachine(request.method, request.headers)) after(() => hitRecorder().record(asked))
    return asked.target === null ? picture(requestId) : lead(asked.target, requestId)
  } catch (error) {
    // Not the address that was asked for, which says who followed what.
    log.error({ error, requestId }, 'a tracked link failed')
    return page(500, requestId, FAILED)
  }
}

/** Leads there as well, and counts for nothing: a person reads what they ask for. */
export const HEAD = GET

const QUIET = {
  'cache-control': 'no-store, private',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
}

function lead(target: string, requestId: string): Response {
  return new Response(null, { status: 302, headers: { ...QUIET, location: target, 'x-request-id': requestId } })
}

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

function picture(requestId: string): Response {
  return new Response(PIXEL, {
    headers: { ...QUIET, 'content-type': 'image/gif', 'x-request-id': requestId },
  })
}

const INVALID = {
  title: 'This link leads nowhere',
  text: 'It is not one of ours, or a part of it was lost on the way. Follow it from the email itself.',
}
const TOO_MANY = {
  title: 'Too many links',
  text: 'Too many broken links were opened from here. Try again in 15 minutes.',
}
const FAILED = {
  title: 'That did not work',
  text: 'The link could not be opened at the moment. Try again in a minute.',
}

async function refuse(request: Request, requestId: string): Promise<Response> {
  try {
    await limitByAddress({ request }, LIMITS.forgedLinksByAddress)
    return page(404, requestId, INVALID)
  } catch (error) {
    if (error instanceof PublicError && error.status === 429) return page(429, requestId, TOO_MANY)
    throw error
  }
}

function page(status: number, requestId: string, words: { title: string; text: string }): Response {
  return new Response(plainPage(words), {
    status,
    headers: {
      ...QUIET,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PLAIN_PAGE_POLICY,
      'x-frame-options': 'DENY',
      'x-request-id': requestId,
    },
  })
}
