import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { unpackedBrowser } from './unpacked-browser.ts'

/** Its list is made for one short page on a lambda: these two crash contexts, and switch off what we want to test. */
const UNWANTED = ['--single-process', '--disable-web-security']

/** On a machine without a graphics card these emulate one, for every frame: drawing without costs half. */
const EMULATED = [
  '--use-gl',
  '--use-angle',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
]

const QUIET = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // A page of a test is closed before code made fast by the second compiler has paid for itself: a tenth of the work.
  '--js-flags=--no-turbofan',
]

/** Headless Chromium from npm, one for each test file. */
export function testBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await playwright.launch({
      executablePath: await unpackedBrowser(),
      args: [...chromium.args.filter(isWanted), ...QUIET],
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

function isWanted(arg: string): boolean {
  const [name = ''] = arg.split('=')
  return !UNWANTED.includes(name) && !EMULATED.includes(name)
}
