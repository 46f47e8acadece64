import { PublicError } from '#lib/platform/api-response.ts'

const MINUTE_MS = 60_000
const YEAR_MS = 366 * 24 * 60 * MINUTE_MS

/** A mistyped date must neither start a campaign at once nor let it wait for ever: what is sent cannot be taken back. */
export function refuseOddTime(at: Date, now: Date): void {
  const aheadMs = at.getTime() - now.getTime()
  if (aheadMs < -MINUTE_MS)
    throw new PublicError(400, 'in-the-past', 'That time has passed. Launch without a time to start now.')
  if (aheadMs > YEAR_MS)
    throw new PublicError(400, 'too-far-ahead', 'That is more than a year from now. Choose an earlier time.')
}
