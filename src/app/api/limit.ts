import { PublicError } from '#lib/platform/api-response.ts'
import { addressBlock, clientAddress } from '#lib/platform/client-address.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import type { RouteEntry } from '#lib/platform/route.ts'
import { type Limit, takeAttempt } from '#lib/tenancy/rate-limit.ts'

type Entry = Pick<RouteEntry, 'request' | 'responseHeaders'>

/** When nobody says who calls, all share one count; it must not lock everybody out at a single person's pace. */
const SHARED_BY_ALL = 10

/** Refuses with 429 and Retry-After once a subject (an account, a person) has tried too often. */
export async function limitBySubject(entry: Entry, limit: Limit, subject: string): Promise<void> {
  const verdict = await takeAttempt(database(), limit, subject)
  if (verdict.ok) return
  entry.responseHeaders.set('retry-after', String(verdict.retryAfterSeconds))
  const minutes = Math.ceil(verdict.retryAfterSeconds / 60)
  throw new PublicError(
    429,
    'too-many-attempts',
    `That was too often. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`,
    { retryAfterSeconds: verdict.retryAfterSeconds },
  )
}

export async function limitByAddress(entry: Entry, limit: Limit): Promise<void> {
  const address = clientAddress(entry.request.headers, env())
  if (address) return limitBySubject(entry, limit, addressBlock(address))
  return limitBySubject(entry, { ...limit, attemptsMax: limit.attemptsMax * SHARED_BY_ALL }, 'unknown')
}
