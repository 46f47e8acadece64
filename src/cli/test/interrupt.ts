import { endVitest } from './vitest.ts'

/** Interrupted, a run must leave nothing behind. A terminal's Ctrl-C comes twice, once of them through npm. */
export function stopOnInterrupt(stop: () => Promise<void>): void {
  let isStopping = false
  const giveUp = () => {
    if (isStopping) return
    isStopping = true
    void endVitest()
      .then(stop)
      .finally(() => process.exit(130))
  }
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(event, giveUp)
}
