/** A request plans so long and leaves the rest to the tick. */
const REQUEST_MS_MAX = 8_000

export function requestBudget(): () => boolean {
  const started = performance.now()
  return () => performance.now() - started < REQUEST_MS_MAX
}
