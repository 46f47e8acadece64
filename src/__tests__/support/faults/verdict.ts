import type pg from 'pg'
import { expect } from 'vitest'
import { check, type Findings } from './faults-checker.ts'
import { report } from './faults-report.ts'
import type { Provider } from './provider.ts'

/** Compares ledger and database when every worker has gone, writes down what was counted, and demands that nothing is wrong. */
export async function verdict(
  pool: pg.Pool,
  scenario: string,
  campaignIds: readonly string[],
  ledger: ReturnType<Provider['ledger']>,
  figures: Record<string, unknown> = {},
): Promise<Findings> {
  const findings = await check(pool, campaignIds, ledger)
  report(scenario, { ...figures, ...findings })
  expect(findings.wrong).toEqual([])
  return findings
}
