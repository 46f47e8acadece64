import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** Its list is made for one short page on a lambda: these two crash contexts, and switch off what we want to test. */
const UNWANTED = ['--single-process', '--disable-web-security']

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/** Headless Chromium from npm, one for each test file. */
export function testBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [...chromium.args.filter((arg) => !UNWANTED.includes(arg)), ...QUIET],
    })
  })
  afterAll(() => browser?.close())
  return {
    get browser() {
      if (!browser) throw new Error('the browser is there only inside tests and hooks')
      return browser
    },
  }
}
