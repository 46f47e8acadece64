import { appendFileSync } from 'node:fs'
import type { Findings } from './faults-checker.ts'

/** `npm test` runs the short form, `npm run test:faults` the full one. */
export const isFull = process.env.FAULTS === 'full'

export function scale<T>({ short, full }: { short: T; full: T }): T {
  return isFull ? full : short
}

/** Figures for the last line of `npm run test:faults`, as they were counted. */
export function report(scenario: string, figures: Findings & Record<string, unknown>): void {
  const file = process.env.FAULTS_REPORT
  if (file) appendFileSync(file, `${JSON.stringify({ scenario, ...figures })}\n`)
}
