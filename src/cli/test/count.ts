/** What one part of the suite came to, from its own report. */
export type Count = { passed: number; failures: string[]; skips: Skip[] }

/** A skip is allowed only if it stands in src/__tests__/allowed-skips.json; `why` is that list's reason. */
export type Skip = { test: string; why: string }

export function sum(counts: Count[]): Count {
  return counts.reduce<Count>(
    (total, count) => ({
      passed: total.passed + count.passed,
      failures: [...total.failures, ...count.failures],
      skips: [...total.skips, ...count.skips],
    }),
    { passed: 0, failures: [], skips: [] },
  )
}

export function describeSkips(skips: Skip[]): void {
  for (const { test, why } of skips) process.stdout.write(`skipped: ${test}, because ${why}\n`)
}

/** Once more at the end: where much was said since, nobody has to look for what failed. */
export function describeFailures(failures: string[]): void {
  for (const failure of failures) process.stdout.write(`failed: ${failure}\n`)
}
