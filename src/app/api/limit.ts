import { PublicError } from '#lib/platform/api-response.ts'
import { addressBlock, clientAddress } from '#lib/platform/client-address.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { type Limit, returnAttempt, takeAttempt } from '#lib/tenancy/rate-limit.ts'

type Requested = { request: Request }

/** Refuses with 429 and Retry-After once a subject (an account, a person) has tried too often. */
export async function limitBySubject(limit: Limit, subject: string): Promise<void> {
  const verdict = await takeAttempt(database(), limit, subject)
  if (verdict.ok) return
  const minutes = Math.ceil(verdict.retryAfterSeconds / 60)
  throw new PublicError(
    429,
    'too-many-attempts',
    `That was too often. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`,
    { retryAfterSeconds: verdict.retryAfterSeconds },
  )
}

/**
 * Where nobody trustworthy says who calls, nothing is counted: one count for all callers would let any of them lock out
 * the rest. Accounts are counted all the same, and no token of ours can be guessed.
 */
export async function limitByAddress({ request }: Requested, limit: Limit): Promise<void> {
  const address = clientAddress(request.headers, env())
  if (address) await limitBySubject(limit, addressBlock(address))
}

/** Only failures count: a whole office behind one address signs in on Monday morning. */
export async function returnAttemptByAddress({ request }: Requested, limit: Limit): Promise<void> {
  const address = clientAddress(request.headers, env())
  if (address) await returnAttempt(database(), limit, addressBlock(address))
}
