import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findingsOfColours, findingsOn, SCREENS, turn } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'
import { type App, type Guests, isOpenedAnew, type Scene, type Scenes } from './scene.ts'

type Played = Scene & { path: string }
type Screen = (typeof SCREENS)[number]

/** What an app, a browser and its guests are needed for: walks through scenes on every screen, by day and by night. */
export type Stage = { app: App; guest: Guests; play(scenes: Scenes): void }

/** For the calling test file, from beforeAll to afterAll. */
export function testStage(): Stage {
  const app = testApp()
  const chromium = testBrowser()
  const guests = new Map<Scene['as'], Guest>()
  const guest: Guests = (as) => {
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

  return { app, guest, play: (scenes) => play(scenes, app, guest, () => chromium.browser) }
}

function play(scenes: Scenes, app: App, guest: Guests, browser: () => Parameters<typeof Guest.enter>[1]): void {
  const all = Object.entries(scenes).flatMap(([path, ofPage]) => ofPage.map((scene) => ({ path, ...scene })))
  describe.each(all)('$path, $state, as $as', (scene) => {
    let visit: Visit | undefined
    beforeAll(async () => void (await scene.given?.(app)))
    afterAll(async () => {
      await visit?.end()
      await scene.undone?.(app)
    })

    const on = async (screen: Screen): Promise<Visit> => {
      if (visit?.screen === screen) return visit
      if (visit && !isOpenedAnew(scene)) await visit.moveTo(screen)
      else {
        await visit?.end()
        visit = undefined
        visit = await Visit.begin(scene, screen, guest, browser())
      }
      return visit
    }

    describe.each(SCREENS)('$name', (screen) => {
      test('light', async () => {
        const { page, complaints } = await on(screen)
        await keepPicture(page, scene, `${screen.name}, light`)
        // A dialog hides what is behind it from everybody, headings too.
        const hasDialog = (await page.getByRole('dialog').count()) > 0
        await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(hasDialog ? 0 : 1)
        expect(await page.title()).toMatch(scene.path === '/' ? /^Sendonce$/ : /^.+ · Sendonce$/)
        expect(await findingsOn(page)).toEqual([])
        expect(complaints()).toEqual([])
      })

      // The same page: by night nothing is different but its colours.
      test('dark', async () => {
        const { page, complaints } = await on(screen)
        await turn(page, 'dark')
        await keepPicture(page, scene, `${screen.name}, dark`)
        expect(await findingsOfColours(page)).toEqual([])
        expect(complaints()).toEqual([])
      })
    })
  })
}

/** One page of a scene, open as long as the scene lasts. */
class Visit {
  readonly page: Page
  screen: Screen
  readonly #visitor: Guest
  readonly #scene: Scene
  readonly #ready: Locator

  private constructor(page: Page, scene: Scene, screen: Screen, visitor: Guest, ready: Locator) {
    this.page = page
    this.screen = screen
    this.#visitor = visitor
    this.#scene = scene
    this.#ready = ready
  }

  static async begin(
    scene: Played,
    screen: Screen,
    guest: Guests,
    browser: Parameters<typeof Guest.enter>[1],
  ): Promise<Visit> {
    const { broken, path, address } = scene
    const whole = guest(scene.as)
    // A clock that is put on belongs to all pages of a browser; only those that lose the server need one.
    const storageState = broken ? await whole.context.storageState() : undefined
    const visitor = storageState ? await Guest.enter(whole.app, browser, { storageState }) : whole
    const page = await visitor.context.newPage()
    const visit = new Visit(page, scene, screen, visitor, scene.ready(page))
    await page.setViewportSize({ width: screen.width, height: screen.height })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    if (broken) {
      await page.route(`**${broken}`, (route) => route.fulfill({ status: 503, body: 'restarting' }))
      await page.clock.install()
    }
    await scene.breaks?.(page)
    await page.goto(address?.() ?? path)
    if (broken) await visit.#pastAllRetries()
    await visit.#untilReady()
    await untilListening(page)
    await scene.afterwards?.(page, guest)
    return visit
  }

  /** Since the last look. The browser itself reports each answer that is a refusal; those are the scene. */
  readonly complaints = (): string[] =>
    this.#visitor.complaints
      .splice(0)
      .filter((line) => !this.#scene.breaks && !/Failed to load resource/.test(line))
      // A clock is put on by a script, which a frame for mails lets run as little as any other.
      .filter((line) => !this.#scene.broken || !/^error: Blocked script execution in .* sandboxed/.test(line))

  /** The open page gets another size, as a window does, and is in daylight again. */
  async moveTo(screen: Screen): Promise<void> {
    this.screen = screen
    await this.page.setViewportSize({ width: screen.width, height: screen.height })
    await turn(this.page, 'light')
    await this.#untilReady()
  }

  async end(): Promise<void> {
    if (this.#scene.broken) await this.#visitor.leave()
    else await this.page.close()
  }

  /** A question that is not answered is asked again after seconds, which need not pass for us. */
  async #pastAllRetries(): Promise<void> {
    for (let seconds = 0; seconds < 60 && !(await this.#ready.isVisible()); seconds += 1)
      await this.page.clock.runFor(1_000)
  }

  async #untilReady(): Promise<void> {
    await this.#ready.waitFor().catch(async (error: Error) => {
      throw new Error(`${error.message}\nThe page says: ${await this.page.locator('body').ariaSnapshot()}`)
    })
  }
}

async function keepPicture(page: Page, { path, state }: Played, look: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  const picture = `${path.slice(1) || 'front'}, ${state}, ${look}.png`.replaceAll(/[, ]+/g, '-')
  if (folder) await page.screenshot({ path: join(folder, picture) })
}
