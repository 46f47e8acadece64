import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, mailTo, PASSWORD, untilListening } from '#tests/support/browser/guest.ts'
import { launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()
const chromium = testBrowser()

const STEPS_MAX = 60

/** One sitting, from signing in to signing out; the mouse is never touched. */
describe('with the keyboard alone', () => {
  let olga: Guest
  let page: Page

  beforeAll(async () => {
    const founder = await Guest.enter(app, chromium.browser)
    await founder.setUp()
    await founder.leave()
    olga = await Guest.enter(app, chromium.browser, { colorScheme: 'light' })
    page = await olga.open('/sign-in')
  })
  afterAll(() => olga.leave())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const invite = () => page.getByRole('dialog', { name: 'Invite to Acme' })
  const commandMenu = () => page.getByRole('dialog', { name: 'Command menu' })
  const atPage = (title: string) => page.getByRole('heading', { name: title, level: 1 }).waitFor()

  test('one signs in by Tab and Enter', async () => {
    await tabTo(page, page.getByLabel('Email'))
    await page.keyboard.type('olga@example.com')
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('/overview')
    await untilListening(page)
  })

  test('the first stop of a page leads past its navigation', async () => {
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to the content' })
    await untilFocused(skip)
    await expect.poll(async () => (await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    await untilFocused(page.locator('main'))
  })

  test('the command menu opens from anywhere, goes where one types, and gives the focus back', async () => {
    await tabTo(page, button('Workspace: Acme'), 'Shift+Tab')
    await page.keyboard.press('Control+k')
    await untilFocused(commandMenu().getByPlaceholder('Go to a page'))
    await page.keyboard.press('Escape')
    await commandMenu().waitFor({ state: 'hidden' })
    await untilFocused(button('Workspace: Acme'))

    await page.keyboard.press('/')
    await commandMenu().waitFor()
    await page.keyboard.type('audit')
    await page.keyboard.press('Enter')
    await page.waitForURL('/audit')
    await commandMenu().waitFor({ state: 'hidden' })
    await atPage('Audit log')
  })

  test('g and t lead to the team, and ? says which letters there are', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.waitForURL('/team')
    await atPage('Team')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Go to Team').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
  })

  test('a person is invited, and letters typed into a field stay text', async () => {
    await tabTo(page, button('Invite'))
    await page.keyboard.press('Enter')
    await untilFocused(invite().getByLabel('Email'))
    await page.keyboard.press('Escape')
    await invite().waitFor({ state: 'hidden' })
    await untilFocused(button('Invite'))

    await page.keyboard.press('Enter')
    await untilFocused(invite().getByLabel('Email'))
    await page.keyboard.type('g?t/gary@example.com')
    expect(await invite().getByLabel('Email').inputValue()).toBe('g?t/gary@example.com')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('gary@example.com')
    await tabTo(page, invite().getByLabel('Role'))
    await page.keyboard.press('Enter')
    await untilFocused(page.getByRole('option', { name: 'Member' }))
    await page.keyboard.press('ArrowDown')
    await untilFocused(page.getByRole('option', { name: 'Admin' }))
    await page.keyboard.press('Enter')
    await untilFocused(invite().getByLabel('Role'))
    await tabTo(page, invite().getByRole('button', { name: 'Send invitation' }))
    await page.keyboard.press('Enter')
    await invite().waitFor({ state: 'hidden' })
    await untilFocused(button('Invite'))
    await page.getByRole('row', { name: 'gary@example.com' }).getByText('Admin').waitFor()
    await mailTo(app, 'gary@example.com')
  })

  test('a dialog holds the focus as long as it is open', async () => {
    await page.keyboard.press('Enter')
    await untilFocused(invite().getByLabel('Email'))
    for (let steps = 0; steps < 8; steps += 1) {
      await page.keyboard.press('Tab')
      expect(await invite().evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
      expect(await isFocusSeen(page)).toBe(true)
    }
    await page.keyboard.press('Escape')
    await invite().waitFor({ state: 'hidden' })
  })

  test('an invitation is revoked from the menu of its row, and the focus is never lost', async () => {
    const actions = button('Actions for gary@example.com')
    const question = page.getByRole('dialog', { name: 'Revoke the invitation?' })
    const openQuestion = async () => {
      await page.keyboard.press('Enter')
      await untilFocused(page.getByRole('menuitem', { name: 'Send again' }))
      await page.keyboard.press('ArrowDown')
      await untilFocused(page.getByRole('menuitem', { name: 'Revoke…' }))
      await page.keyboard.press('Enter')
      // The harmless one first: an Enter too many revokes nothing.
      await untilFocused(question.getByRole('button', { name: 'Cancel' }))
    }
    await tabTo(page, actions)
    await openQuestion()
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'hidden' })
    await untilFocused(actions)

    await openQuestion()
    await page.keyboard.press('Tab')
    await untilFocused(question.getByRole('button', { name: 'Revoke' }))
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'hidden' })
    await page.getByText('Nobody is waiting').waitFor()
    // Its row is gone, and the button with it.
    await untilFocused(page.locator('main'))
  })

  test('the theme changes from its menu, and stays after a reload', async () => {
    await tabTo(page, button('Theme: As the system'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await untilFocused(page.getByRole('menuitemradio', { name: 'As the system' }))
    await page.keyboard.press('End')
    await untilFocused(page.getByRole('menuitemradio', { name: 'Dark' }))
    await page.keyboard.press('Enter')
    await untilFocused(button('Theme: Dark'))
    const background = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    const dark = await background()
    await page.reload()
    await untilListening(page)
    expect(await background()).toBe(dark)
    await page.keyboard.press('Control+k')
    await commandMenu().waitFor()
    await page.keyboard.type('light')
    await page.keyboard.press('Enter')
    await button('Theme: Light').waitFor()
    expect(await background()).not.toBe(dark)
  })

  test('a menu that is closed before its first frame has the focus when it is opened again', async () => {
    const focused = await page.evaluate(async () => {
      const press = (target: Element | null, key: string) =>
        target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      const menu = () => document.querySelector('[role="menu"]')
      // No frame is drawn between microtasks, so no animation begins.
      const until = async (isSo: () => boolean) => {
        for (let turns = 0; turns < 1_000 && !isSo(); turns += 1) await Promise.resolve()
        if (!isSo()) throw new Error(`never so: ${isSo}`)
      }
      const trigger = document.querySelector<HTMLElement>('button[aria-label^="Theme"]')
      trigger?.focus()
      press(trigger, 'Enter')
      await until(() => getComputedStyle(menu() ?? document.body).animationName !== 'none')
      press(document.activeElement, 'Escape')
      await until(() => trigger?.ariaExpanded === 'false')
      trigger?.focus()
      press(trigger, 'Enter')
      await until(() => trigger?.ariaExpanded === 'true')
      return menu()?.contains(document.activeElement)
    })
    expect(focused).toBe(true)
    await page.keyboard.press('Escape')
    await untilFocused(button('Theme: Light'))
  })

  test('a campaign is paused by its name from any page, and what the page does is offered first', async () => {
    await setUpSending(app, olga)
    await olga.ask('POST', '/api/prospects', { email: 'ada@example.com' })
    const id = await launchToAll(olga, [{ subject: 'Hello', bodyText: 'A word.' }])
    await page.keyboard.press('Control+k')
    await commandMenu().waitFor()
    await page.keyboard.type('pause campaign spr')
    await commandMenu().getByRole('option', { name: 'Pause campaign Spring' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Spring is paused.').waitFor()
    const status = async () => (await olga.ask<{ status: string }>('GET', `/api/campaigns/${id}`)).status
    expect(await status()).toBe('PAUSED')

    await page.keyboard.press('Control+k')
    await commandMenu().getByText('On this page').waitFor()
    await commandMenu().getByRole('option', { name: 'Invite another' }).waitFor()
    await page.keyboard.type('resume campaign spr')
    await commandMenu().getByRole('option', { name: 'Resume campaign Spring' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Spring goes on.').waitFor()
    expect(await status()).toBe('RUNNING')
  })

  test('one signs out from the menu of the account', async () => {
    await commandMenu().waitFor({ state: 'hidden' })
    await tabTo(page, button('Account of Olga Owner'))
    await page.keyboard.press('Enter')
    await untilFocused(page.getByRole('menuitem', { name: 'Keyboard shortcuts' }))
    await page.keyboard.press('ArrowDown')
    await untilFocused(page.getByRole('menuitem', { name: 'Sign out' }))
    await page.keyboard.press('Enter')
    await page.waitForURL('/sign-in?notice=signed-out')
    expect((await olga.call('GET', '/api/session')).status()).toBe(401)
    expect(olga.complaints).toEqual([])
  })
})

/** As a person goes: one stop after the other, and at each they see where they are. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  await target.waitFor()
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    await page.keyboard.press(key)
    expect(await isFocusSeen(page), `a ring around ${await page.locator(':focus').ariaSnapshot()}`).toBe(true)
    if (await isFocused(target)) return
  }
  throw new Error(`${target} cannot be reached with ${key}`)
}

async function untilFocused(target: Locator): Promise<void> {
  await expect
    .poll(() => isFocused(target))
    .toBe(true)
    .catch(async () => {
      const page = target.page()
      const focused = await page.locator(':focus').evaluateAll(([element]) => element?.outerHTML.slice(0, 300))
      throw new Error(`not focused: ${target}, but ${focused}\n${await page.locator('body').ariaSnapshot()}`)
    })
}

async function isFocused(target: Locator): Promise<boolean> {
  if ((await target.count()) !== 1) return false
  return target.evaluate((element) => element === document.activeElement)
}

/** The element with the focus is on the screen, and a ring is around it. */
function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const focused = document.activeElement
    if (!(focused instanceof HTMLElement) || focused === document.body) return false
    const { outlineStyle, outlineWidth, visibility } = getComputedStyle(focused)
    const box = focused.getBoundingClientRect()
    const isOnScreen = box.width > 0 && box.bottom > 0 && box.top < innerHeight && visibility === 'visible'
    return isOnScreen && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
  })
}
