import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** How people look at it: a desk and a phone, by day and by night. */
export const LOOKS = [
  { name: 'desk, light', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'desk, dark', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'phone, light', width: 375, height: 812, colorScheme: 'light' },
  { name: 'phone, dark', width: 375, height: 812, colorScheme: 'dark' },
] as const

/** What axe finds, a line each; and whether the page is wider than the screen. */
export async function findingsOn(page: Page): Promise<string[]> {
  // Evaluated from outside the page, so that its Content-Security-Policy stays as strict as it is shipped.
  await page.evaluate(AXE)
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  const findings = results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')}`),
  )
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return overflow === 0 ? findings : [...findings, `the page is ${overflow} px wider than the screen`]
}
