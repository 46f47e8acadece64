/** What one part of the suite came to, from its own report. */
export type Count = { passed: number; failed: number; skips: Skip[] }

/** A skip is allowed only if it stands in src/__tests__/allowed-skips.json; `why` is that list's reason. */
export type Skip = { test: string; why: string }

export function sum(counts: Count[]): Count {
  return counts.reduce<Count>(
    (total, count) => ({
      passed: total.passed + count.passed,
      failed: total.failed + count.failed,
      skips: [...total.skips, ...count.skips],
    }),
    { passed: 0, failed: 0, skips: [] },
  )
}

export function describeSkips(skips: Skip[]): void {
  for (const { test, why } of skips) process.stdout.write(`skipped: ${test}, because ${why}\n`)
}
