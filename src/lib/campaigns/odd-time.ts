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

/** It would be stopped for good as it starts, or before: nobody wants that, and it could not be taken back. */
export function refuseEndBeforeStart(endsAt: Date | null, startsAt: Date): void {
  if (endsAt && endsAt <= startsAt)
    throw new PublicError(
      409,
      'ends-before-start',
      'The campaign would end before it starts, and be stopped for good. Set a later end, or none, first.',
    )
}
