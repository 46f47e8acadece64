import { CONTENDED_MS } from './resting.ts'

export const NEW_WORK_MS = 1_000
/** A tick does not wait longer for a broker that is away: the next one looks again. */
export const AWAY_MS_MAX = 15_000

const REST_MS_MAX = 60_000

/** After each time that a broker did not take all that it was given, longer than before. */
export function nextRestMs(restMs: number): number {
  return Math.min(REST_MS_MAX, Math.max(CONTENDED_MS, restMs * 2))
}
