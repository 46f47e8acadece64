/** How long one hand-over may take. */
export const SUBMIT_MS_MAX = 45_000

/** A worker that was suspended while it handed over may wake late; so much is waited before a person may send again. */
const WAKE_MS_MAX = 60_000

/** When an attempt must have ended, counted from its mark. */
export function attemptMsMax(submitMsMax: number): number {
  return submitMsMax + WAKE_MS_MAX
}
