import type { ClaimedDelivery } from './claim.ts'

type Told = Pick<ClaimedDelivery, 'type' | 'happenedAt' | 'data'>

/** The same bytes at every repetition: the moment is that of the event, and not of the attempt. */
export function bodyOf({ type, happenedAt, data }: Told): string {
  return JSON.stringify({ type, timestamp: happenedAt.toISOString(), data })
}
