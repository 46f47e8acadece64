import type { ScheduledEmailStatus } from './states.ts'

/** `isDismissed`: of those that failed for good alone; a person has seen them and wants nothing more. */
type Standing = { status: ScheduledEmailStatus; isDismissed?: boolean }

/** The queue as people look at it. Every email stands in exactly one part, so that the parts add up to all there are. */
export const QUEUE_PARTS = {
  decide: [{ status: 'OUTCOME_UNKNOWN' }, { status: 'PERMANENTLY_FAILED', isDismissed: false }],
  waiting: [{ status: 'SCHEDULED' }, { status: 'RETRY_SCHEDULED' }, { status: 'FAILED' }],
  sending: [{ status: 'SENDING' }],
  sent: [{ status: 'SENT' }],
  cancelled: [{ status: 'CANCELLED' }, { status: 'PERMANENTLY_FAILED', isDismissed: true }],
} as const satisfies Record<string, readonly Standing[]>

export type QueuePart = keyof typeof QUEUE_PARTS

export const QUEUE_PART_NAMES = Object.keys(QUEUE_PARTS) as [QueuePart, ...QueuePart[]]

export const standingsOf = (part: QueuePart): readonly Standing[] => QUEUE_PARTS[part]
