import type { Environment } from '#lib/platform/env.ts'
import type { SendingLimits } from './send-due.ts'

type Settings = Pick<Environment, 'SEND_CONNECTIONS' | 'LEASE_SECONDS' | 'SUBMIT_SECONDS'>

/** What connecting, marking and settling take beside the hand-over itself. */
const MARGIN_MS = 30_000

export function sendingLimits(settings: Settings, claimMsMax: number, signal?: AbortSignal): SendingLimits {
  return {
    connections: settings.SEND_CONNECTIONS,
    leaseMs: settings.LEASE_SECONDS * 1000,
    submitMsMax: settings.SUBMIT_SECONDS * 1000,
    claimMsMax: Math.max(0, claimMsMax),
    signal,
  }
}

/** How long a process that is ended after `lifeMs` may claim: what it claimed last must still come to its end. */
export function claimMsWithin(lifeMs: number, settings: Settings): number {
  return Math.max(0, lifeMs - settings.SUBMIT_SECONDS * 1000 - MARGIN_MS)
}
