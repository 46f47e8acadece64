import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, mailCount, pressPageKey } from '#tests/support/browser/guest.ts'
import { callCron, setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A campaign from its first press of a key to its stop, on the pages alone, beside a worker that sends. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

const READERS = ['zoe@example.test', 'yan@example.test', 'xia@example.test']
const row = (name: string) => page.getByRole('row', { name })
/** From here on: how often the head of the page was gone, or what stands below its tabs was empty. */
const watchForFlashes = () =>
  page.evaluate(() => {
    const flashes: string[] = []
    const main = document.querySelector('main') as HTMLElement
    const look = () => {
      const head = main.querySelector('h1')
      const below = main.querySelector('nav[aria-label="Parts of the campaign"] + *')
      if (!head?.checkVisibility()) flashes.push('no head')
      else if (!below?.checkVisibility()) flashes.push('nothing below the tabs')
    }
    new MutationObserver(look).observe(main, { childList: true, subtree: true, attributes: true })
    Object.assign(window, { flashes })
  })
const flashes = () => page.evaluate(() => (window as unknown as { flashes: string[] }).flashes)
const figure = (label: string) => page.getByRole('figure', { name: label })

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await setUpSending(app, olga)
  for (const email of READERS) await olga.ask('POST', '/api/prospects', { email })
  const steps = [
    { subject: 'Your stand', bodyText: 'Dear {{firstName | "reader"}},\n\na word.' },
    { delayDays: 3, subject: '', bodyText: 'Again.' },
  ]
  await olga.ask('POST', '/api/sequences', { name: 'Intro', steps })
  page = await olga.open('/campaigns')
})
afterAll(() => olga.leave())

describe('a campaign', () => {
  test('is made by keyboard alone, and begins as a draft that says what keeps it from being launched', async () => {
    await page.getByRole('heading', { name: 'No campaigns yet' }).waitFor()
    await pressPageKey(page, 'n')
    const dialog = page.getByRole('dialog', { name: 'New campaign' })
    await dialog.getByLabel('Name').waitFor()
    await page.keyboard.type('Spring trade fair')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const intro = page.getByRole('option', { name: 'Intro (2 steps)' })
    await intro.waitFor()
    // What was there first, while the sequences loaded, is what is looked at.
    await page.keyboard.press('Home')
    await expect.poll(() => intro.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    const chosen = dialog.getByLabel('Sequence')
    await chosen.getByText('Intro (2 steps)').waitFor()
    await expect.poll(() => chosen.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Spring trade fair' }).waitFor()
    await page.getByText('Nobody is enrolled; add people.').waitFor()
    await page.getByRole('button', { name: 'Launch…' }).click()
    const launch = page.getByRole('dialog', { name: 'Launch Spring trade fair?' })
    await launch.getByText('Nobody is enrolled; add people.').waitFor()
    expect(await launch.getByRole('button', { name: 'Launch now' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
  })

  test('takes everybody in, and the plan beside says how many emails go on which days', async () => {
    await page.getByLabel('Add people').click()
    await page.getByRole('option', { name: 'Everybody in the workspace' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('3 people added.').waitFor()
    await page.getByText('6 emails').first().waitFor()
    await figure('People by state').getByText('3').first().waitFor()
  })

  test('is launched after the dialog has said what will happen, and the page follows what the worker sends', async () => {
    await watchForFlashes()
    await page.getByRole('button', { name: 'Launch…' }).click()
    const launch = page.getByRole('dialog', { name: 'Launch Spring trade fair?' })
    await launch.getByText('6 emails').waitFor()
    await launch.getByRole('button', { name: 'Launch now' }).click()
    await page.getByText('Spring trade fair is running.').waitFor()
    expect(await callCron(app)).toMatchObject({ sent: 3, failed: 0, unknown: 0 })
    await figure('Emails by state').getByText('Sent').waitFor()
    for (const email of READERS) expect(await mailCount(app, email)).toBe(1)
    await page.getByRole('link', { name: 'Emails' }).click()
    await page.waitForURL(/tab=emails/)
    await row('zoe@example.test').first().waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'Scheduled' }).count()).toBe(3)
    const tabs = page.getByRole('navigation', { name: 'Parts of the campaign' })
    for (const tab of ['People', 'Plan', 'Activity', 'Settings', 'Overview', 'Emails']) {
      await tabs.getByRole('link', { name: tab }).click()
      await tabs.locator('[aria-current="page"]', { hasText: tab }).waitFor()
    }
    expect(await flashes()).toEqual([])
  })

  test('says why nothing goes out, with the first time at which it can', async () => {
    await page.getByRole('button', { name: 'Why is nothing going out?' }).click()
    await page.getByText('at the earliest').first().waitFor()
  })

  test('is paused at once with an undo, from the list, and stopped for good only after a question', async () => {
    await page.getByRole('link', { name: 'Campaigns' }).first().click()
    await row('Spring trade fair').getByText('3 sent, 3 waiting').waitFor()
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Spring trade fair' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Pause')
    await row('Spring trade fair').getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Spring trade fair goes on.').waitFor()
    await row('Spring trade fair').getByText('Running').waitFor()
    await act('Stop…')
    const dialog = page.getByRole('dialog', { name: 'Stop Spring trade fair for good?' })
    await dialog.getByText('3 emails that wait are cancelled.').waitFor()
    await dialog.getByRole('button', { name: 'Stop for good' }).click()
    await row('Spring trade fair').getByText('Stopped').waitFor()
    await row('Spring trade fair').getByText('3 sent, 3 cancelled').waitFor()
    await act('Archive')
    await row('Spring trade fair').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await row('Spring trade fair').waitFor()
    expect(olga.complaints).toEqual([])
  })
})
