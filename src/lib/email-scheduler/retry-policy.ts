import type { EmailKind, RetryPolicy } from '#lib/platform/generated/enums.ts'

/** Seed 000's schedule: three retries, then a person decides. */
export const RETRY_BACKOFF_MINUTES = [1, 5, 15] as const
export const MAX_RETRY_ATTEMPTS = RETRY_BACKOFF_MINUTES.length

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The delay after the n-th failure is the n-th of the list; after the last, the email has failed for good. */
export const RETRY_DELAYS_MS = {
  standard: RETRY_BACKOFF_MINUTES.map((minutes) => minutes * MINUTE_MS),
  patient: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS],
  transactional: [30_000, 60_000, 120_000, 240_000, 480_000],
} as const satisfies Record<string, readonly number[]>

export type RetrySettings = { retryPolicy: RetryPolicy; retryDelaysSeconds: readonly number[] }

/** The delays that hold for an email: its kind decides, then its workspace. */
export function retryDelaysMs(kind: EmailKind, settings: RetrySettings | undefined): readonly number[] {
  if (kind === 'TRANSACTIONAL') return RETRY_DELAYS_MS.transactional
  const policy = settings?.retryPolicy ?? 'STANDARD'
  switch (policy) {
    case 'STANDARD':
      return RETRY_DELAYS_MS.standard
    case 'PATIENT':
      return RETRY_DELAYS_MS.patient
    case 'CUSTOM':
      return (settings?.retryDelaysSeconds ?? []).map((seconds) => seconds * 1000)
  }
}

/** When to try again after the n-th failure; undefined when the retries are used up. */
export function nextRetryAt(
  delaysMs: readonly number[],
  failures: number,
  now: Date,
  notBefore?: Date,
): Date | undefined {
  const delayMs = delaysMs[failures - 1]
  if (delayMs === undefined) return undefined
  const byPolicyMs = now.getTime() + delayMs
  return later(byPolicyMs, notBefore)
}

/**
 * When to try again what was unknown and is now proven unsent. There is no arrow from unknown to failed, so retries that
 * are used up are granted one more: the provider's next answer is the verdict.
 */
export function retryAtAfterProof(delaysMs: readonly number[], failures: number, now: Date, notBefore?: Date): Date {
  const delayMs = delaysMs[failures - 1] ?? delaysMs.at(-1) ?? MINUTE_MS
  return later(now.getTime() + delayMs, notBefore)
}

/** A provider that asks for more patience than the policy gets it. */
function later(byPolicyMs: number, notBefore: Date | undefined): Date {
  return new Date(Math.max(byPolicyMs, notBefore?.getTime() ?? byPolicyMs))
}
