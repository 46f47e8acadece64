import { earlierBy, type TimeLeft } from '#lib/mail/deadline.ts'
import type { Environment } from '#lib/platform/env.ts'
import { TIMEOUT_MS } from '#lib/webhooks/limits.ts'

export type SendingLimits = {
  /** How many emails may be marked and not settled at once: after a crash, at most as many are unknown. */
  connections: number
  leaseMs: number
  submitMsMax: number
  /**
   * How long a hand-over may begin, asked right before each mark: what was claimed and has no connection by then goes
   * back as it was.
   */
  beginning: TimeLeft
}

type Settings = Pick<Environment, 'SEND_CONNECTIONS' | 'LEASE_SECONDS' | 'SUBMIT_SECONDS'>

/** What settling takes after the longest hand-over, and the summary after that. */
const SETTLING_MS = 10_000
/** What connecting and marking take beside the hand-over itself. */
const MARGIN_MS = 30_000

/**
 * `life` is how long the process goes on, counted from the moment when its request came: connecting and planning use
 * it up like everything else, and nothing is handed over that could outlive it.
 */
export function sendingLimits(settings: Settings, life: TimeLeft): SendingLimits {
  const submitMsMax = settings.SUBMIT_SECONDS * 1000
  return {
    connections: settings.SEND_CONNECTIONS,
    leaseMs: settings.LEASE_SECONDS * 1000,
    submitMsMax,
    beginning: earlierBy(life, submitMsMax + SETTLING_MS),
  }
}

/** How long such a process may claim: what it claims last must still come to its end. */
export function claimingTime(settings: Settings, life: TimeLeft): TimeLeft {
  return earlierBy(life, settings.SUBMIT_SECONDS * 1000 + MARGIN_MS)
}

/** How long it may plan: a batch is a matter of seconds. */
export function planningTime(life: TimeLeft): TimeLeft {
  return earlierBy(life, MARGIN_MS)
}

/** From the last attempt to tell of an event to its settling, a receiver that hangs included. */
const TELLING_MS = TIMEOUT_MS + SETTLING_MS

/** How long events may begin to be told. */
export function tellingTime(life: TimeLeft): TimeLeft {
  return earlierBy(life, TELLING_MS)
}
