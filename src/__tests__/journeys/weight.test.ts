import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, untilListening } from '#tests/support/browser/guest.ts'
import { launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { pageAddresses } from '#tests/support/browser/pages.ts'
import { testApp } from '#tests/support/server/app.ts'

/** What a browser with an empty cache loads of script before anybody touches the page, prefetched pages included. */
const SCRIPT_KB_MAX = 250

const app = testApp()
const chromium = testBrowser()
const reached = new Set<string>()
const weights = new Map<string, number>()

/** The founder's is made by the first who asks for it; everybody else begins with its cookies and an empty cache. */
const ids = { person: '', running: '', draft: '' }
let cookies: Awaited<ReturnType<Guest['context']['cookies']>> = []

type Weight = { total: number; files: string[] }

async function weigh(address: string, isSignedIn: boolean): Promise<Weight> {
  const guest = await Guest.enter(app, chromium.browser)
  if (isSignedIn) await guest.context.addCookies(cookies)
  const page = await guest.context.newPage()
  const sizes: Promise<[kB: number, file: string]>[] = []
  page.on('requestfinished', (request) => {
    if (/\.js(\?|$)/.test(request.url())) {
      const file = request.url().split('/').at(-1) ?? ''
      sizes.push(request.sizes().then(({ responseBodySize }) => [responseBodySize / 1000, file]))
    }
  })
  await page.goto(address)
  await untilListening(page)
  await untilQuiet(page)
  reached.add(new URL(page.url()).pathname)
  const loaded = (await Promise.all(sizes)).sort(([one], [other]) => other - one)
  await guest.leave()
  return {
    total: loaded.reduce((sum, [kB]) => sum + kB, 0),
    files: loaded.map(([kB, file]) => `${kB.toFixed(1)} ${file}`),
  }
}

/** Prefetching begins when the page is idle. */
async function untilQuiet(page: Page): Promise<void> {
  await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: 5_000 })))
  await page.waitForLoadState('networkidle')
}

describe('the script of a first load', () => {
  test.each(['/', '/setup'])('%s, before anybody is here', async (address) => {
    const { total, files } = await weigh(address, false)
    expect(total, files.join('\n')).toBeLessThanOrEqual(SCRIPT_KB_MAX)
  })

  test('the founder comes', async () => {
    const founder = await Guest.enter(app, chromium.browser)
    await founder.setUp()
    cookies = await founder.context.cookies()
    await setUpSending(app, founder)
    const { prospect } = await founder.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
      email: 'a@b.test',
    })
    ids.person = prospect.id
    ids.running = await launchToAll(founder, [{ subject: 'Your stand', bodyText: 'A word.' }])
    const { sequenceId } = await founder.ask<{ sequenceId: string }>('GET', `/api/campaigns/${ids.running}`)
    const draft = { name: 'Autumn', sequenceId }
    ids.draft = (await founder.ask<{ id: string }>('POST', '/api/campaigns', draft)).id
    await founder.leave()
  })

  describe.each([
    ['a stranger', false],
    ['the founder', true],
  ])('for %s', (_who, isSignedIn) => {
    test.each(pageAddresses().filter((address) => address !== '/setup'))('%s', async (address) => {
      const { total, files } = await weigh(address, isSignedIn)
      if (process.env.WEIGHTS === address) process.stdout.write(`${files.join('\n')}\n`)
      weights.set(address, Math.max(weights.get(address) ?? 0, Math.round(total)))
      expect(total).toBeGreaterThan(50)
      expect(total, files.join('\n')).toBeLessThanOrEqual(SCRIPT_KB_MAX)
    })
  })

  describe('of pages of one thing, which is there', () => {
    test.each([
      ['a person', () => `/prospects/${ids.person}`],
      ['a draft', () => `/campaigns/${ids.draft}`],
      ['the plan of a draft', () => `/campaigns/${ids.draft}?tab=plan`],
      ['its launch', () => `/campaigns/${ids.draft}?open=launch`],
      ...['overview', 'people', 'plan', 'emails', 'activity', 'settings'].map(
        (tab) => [tab, () => `/campaigns/${ids.running}?tab=${tab}`] as const,
      ),
      ['why nothing goes out', () => `/campaigns/${ids.running}?open=why`],
    ] as const)('%s', async (name, address) => {
      const { total, files } = await weigh(address(), true)
      weights.set(name, Math.round(total))
      expect(total, files.join('\n')).toBeLessThanOrEqual(SCRIPT_KB_MAX)
    })
  })

  test('every page on disk was reached by one of them', () => {
    if (process.env.WEIGHTS) process.stdout.write(`${JSON.stringify(Object.fromEntries(weights))}\n`)
    expect(pageAddresses().filter((address) => !reached.has(address))).toEqual([])
  })
})
