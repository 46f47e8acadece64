import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Where people look at it: at a desk and on a phone. */
export const SCREENS = [
  { name: 'desk', width: 1440, height: 900 },
  { name: 'phone', width: 375, height: 812 },
] as const

/** On each screen, by day and by night. */
export const LOOKS = SCREENS.flatMap(({ name, ...size }) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ name: `${name}, ${colorScheme}`, ...size, colorScheme })),
)

/** Changes the colours of an open page. */
export async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  // A colour that is on its way to another one has no contrast of its own yet.
  await page.waitForFunction(() => !document.getAnimations().some((running) => running instanceof CSSTransition))
}

const ALL = { resultTypes: ['violations'] }
/** Those that look at colours, of the rules that are on by default. */
const OF_COLOURS = { ...ALL, runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

/** What axe finds, a line each; and whether the page is wider than the screen. */
export async function findingsOn(page: Page): Promise<string[]> {
  const findings = await askAxe(page, ALL)
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return overflow === 0 ? findings : [...findings, `the page is ${overflow} px wider than the screen`]
}

/** What axe finds of a page that has been turned, and had no findings before. */
export function findingsOfColours(page: Page): Promise<string[]> {
  return askAxe(page, OF_COLOURS)
}

async function askAxe(page: Page, options: object): Promise<string[]> {
  // Evaluated from outside the page, so that its Content-Security-Policy stays as strict as it is shipped.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return results.violations.flatMap(({ id, nodes }) =>
    nodes
      .map(({ target }) => target.join(' '))
      // An open menu belongs to its button, and to no landmark, wherever it is drawn.
      .filter((target) => id !== 'region' || !target.includes('data-radix-popper-content-wrapper'))
      .map((target) => `${id}: ${target}`),
  )
}
