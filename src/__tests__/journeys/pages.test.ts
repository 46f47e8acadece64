import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findingsOfColours, findingsOn, SCREENS, turn } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, PATIENTLY, untilListening } from '#tests/support/browser/guest.ts'
import { pageAddresses } from '#tests/support/browser/pages.ts'
import { ACCOUNT, FIRST_RUN } from '#tests/support/scenes/account.ts'
import { CAMPAIGNS } from '#tests/support/scenes/campaigns.ts'
import { PEOPLE } from '#tests/support/scenes/people.ts'
import { populate } from '#tests/support/scenes/populate.ts'
import { QUEUE } from '#tests/support/scenes/queue.ts'
import type { Scene, Scenes } from '#tests/support/scenes/scene.ts'
import { SENDING } from '#tests/support/scenes/sending.ts'
import { SEQUENCES } from '#tests/support/scenes/sequences.ts'
import { TEMPLATES } from '#tests/support/scenes/templates.ts'
import { WEBHOOKS } from '#tests/support/scenes/webhooks.ts'
import { testApp } from '#tests/support/server/app.ts'

/**
 * Every page, in every state that a person may find it in, in every look. A page on disk without a scene fails: add its
 * scenes with the page, below support/scenes.
 */
const SCENES: Scenes = {
  ...ACCOUNT,
  ...PEOPLE,
  ...SEQUENCES,
  ...TEMPLATES,
  ...CAMPAIGNS,
  ...SENDING,
  ...QUEUE,
  ...WEBHOOKS,
}

const app = testApp()
const chromium = testBrowser()
const guests = new Map<Scene['as'], Guest>()

const guest = (as: Scene['as']): Guest => {
  const found = guests.get(as)
  if (!found) throw new Error(`nobody is ${as}`)
  return found
}

beforeAll(async () => {
  for (const as of ['nobody', 'owner', 'admin', 'member', 'loner', 'outcast'] as const) {
    guests.set(as, await Guest.enter(app, chromium.browser))
  }
  await fetch(`${app.url}/api/cron/send-emails`, { headers: { authorization: `Bearer ${app.cronSecret}` } })
})

afterEach(() => {
  for (const { complaints } of guests.values()) complaints.splice(0)
})

afterAll(async () => {
  for (const each of guests.values()) await each.leave()
})

test('every page on disk has its scenes, and every scene its page', () => {
  expect([...new Set([...Object.keys(FIRST_RUN), ...Object.keys(SCENES)])].sort()).toEqual(pageAddresses())
})

describe('before anybody is here', () => play(FIRST_RUN))

describe('with people and their work', () => {
  beforeAll(() => populate(app, guest))
  play(SCENES)
})

function play(scenes: Scenes): void {
  const all = Object.entries(scenes).flatMap(([path, ofPage]) => ofPage.map((scene) => ({ path, ...scene })))
  describe.each(all)('$path, $state, as $as', (scene) => {
    beforeAll(async () => void (await scene.given?.(app)))
    afterAll(async () => void (await scene.undone?.(app)))
    describe.each(SCREENS)('$name', (screen) => {
      let page: Page | undefined
      afterAll(() => page?.close())

      test('light', async () => {
        page = await open(scene, screen)
        await keepPicture(page, scene, `${screen.name}, light`)
        // A dialog hides what is behind it from everybody, headings too.
        const hasDialog = (await page.getByRole('dialog').count()) > 0
        await expect.poll(() => page?.getByRole('heading', { level: 1 }).count(), PATIENTLY).toBe(hasDialog ? 0 : 1)
        expect(await page.title()).toMatch(scene.path === '/' ? /^Sendonce$/ : /^.+ · Sendonce$/)
        expect(await findingsOn(page)).toEqual([])
        expectNoComplaints(scene)
      })

      // The same page: by night nothing is different but its colours.
      test('dark', async () => {
        page ??= await open(scene, screen)
        await turn(page, 'dark')
        await keepPicture(page, scene, `${screen.name}, dark`)
        expect(await findingsOfColours(page)).toEqual([])
        expectNoComplaints(scene)
      })
    })
  })
}

type Played = Scene & { path: string }

async function open({ path, ...scene }: Played, { width, height }: (typeof SCREENS)[number]): Promise<Page> {
  const page = await guest(scene.as).context.newPage()
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (scene.broken) {
    await page.route(`**${scene.broken}`, (route) => route.fulfill({ status: 503, body: 'restarting' }))
  }
  await page.goto(scene.address?.() ?? path)
  await scene
    .ready(page)
    .waitFor()
    .catch(async (error: Error) => {
      throw new Error(`${error.message}\nThe page says: ${await page.locator('body').ariaSnapshot()}`)
    })
  await untilListening(page)
  await scene.afterwards?.(page, guest)
  return page
}

async function keepPicture(page: Page, { path, state }: Played, look: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  const picture = `${path.slice(1) || 'front'}, ${state}, ${look}.png`.replaceAll(/[, ]+/g, '-')
  if (folder) await page.screenshot({ path: join(folder, picture) })
}

/** The browser itself reports each answer that is a refusal; those are the scene. */
function expectNoComplaints({ as }: Played): void {
  expect(guest(as).complaints.filter((line) => !/Failed to load resource/.test(line))).toEqual([])
}
