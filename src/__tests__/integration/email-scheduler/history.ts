import { mayBecome, type ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'

export type HistoryItem =
  | { kind: 'attempt'; outcome: AttemptOutcome }
  | { kind: 'event'; from: ScheduledEmailStatus; to: ScheduledEmailStatus }

const ENDS: Record<AttemptOutcome, readonly ScheduledEmailStatus[]> = {
  ACCEPTED: ['SENT'],
  UNKNOWN: ['OUTCOME_UNKNOWN'],
  RETRY: ['FAILED'],
  REJECTED: ['FAILED'],
  // Cancelled while it was held: then an event says so.
  RELEASED: ['SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'],
}

/**
 * Do attempts and events, each in their own order, tell a life from SCHEDULED to this status, every step a legal arrow
 * and nothing left over? A claim whose lease still runs is the one step that only the row tells.
 */
export function canBeTold(items: readonly HistoryItem[], status: ScheduledEmailStatus): boolean {
  const attempts = items.filter((item) => item.kind === 'attempt')
  const events = items.filter((item) => item.kind === 'event')
  const tell = (now: ScheduledEmailStatus, attempt: number, event: number): boolean => {
    const nextEvent = events[event]
    const nextAttempt = attempts[attempt]
    if (!nextEvent && !nextAttempt && (now === status || (status === 'SENDING' && mayBecome(now, 'SENDING'))))
      return true
    if (nextEvent?.from === now && mayBecome(now, nextEvent.to) && tell(nextEvent.to, attempt, event + 1)) return true
    if (!nextAttempt || !mayBecome(now, 'SENDING')) return false
    return ENDS[nextAttempt.outcome].some((end) => {
      // What was released goes back to where it came from.
      if (nextAttempt.outcome === 'RELEASED' && end !== 'SENDING' && end !== now) return false
      return tell(end, attempt + 1, event)
    })
  }
  return tell('SCHEDULED', 0, 0)
}
