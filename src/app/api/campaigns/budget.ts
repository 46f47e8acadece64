/** A request plans so long and leaves the rest to the tick. */
const REQUEST_MS_MAX = 8_000

export const requestBudget = () => budgetOf(REQUEST_MS_MAX)

/** True until the time is over. */
export function budgetOf(ms: number): () => boolean {
  const started = performance.now()
  return () => performance.now() - started < ms
}
