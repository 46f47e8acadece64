/** A worker that was suspended while it handed over may wake late; so much is waited before a person may send again. */
const WAKE_SECONDS_MAX = 60

/** When an attempt must have ended, counted from its mark; a hand-over itself may take `submitSeconds`. */
export function attemptMsMax(submitSeconds: number): number {
  return (submitSeconds + WAKE_SECONDS_MAX) * 1000
}
