const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }
const WAIT_MS_MAX = 24 * 3_600_000

const WRITTEN =
  /\b(?:in|after|for|wait|again|later|least|retry)\W{1,3}(?:about |at least |another |the next |after |in )*(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/i
const CLOCK = /\b(?:in|after|for|wait)\W{1,3}(\d{1,2}):(\d\d):(\d\d)\b/i

/** How long a provider asks us to wait ("Greylisted, try again in 300 seconds"); undefined where it names no time. */
export function tryAfterMs(text: string): number | undefined {
  const clock = CLOCK.exec(text)
  if (clock) return bounded(Number(clock[1]) * 3_600_000 + Number(clock[2]) * 60_000 + Number(clock[3]) * 1_000)
  const written = WRITTEN.exec(text)
  const unitMs = UNIT_MS[written?.[2]?.charAt(0).toLowerCase() ?? '']
  return written && unitMs ? bounded(Number(written[1]) * unitMs) : undefined
}

/** A server that says "in 999999 hours" does not hold an email for ever. */
function bounded(ms: number): number {
  return Math.min(ms, WAIT_MS_MAX)
}
