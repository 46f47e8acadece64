import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/**
 * From an empty workspace to a saved sequence of three steps and 500 imported people, by mouse. What is counted is what a
 * person does: a press, or a field that is written into. At ten seconds for a field and three for a press that is a minute
 * and a half; the bar is three minutes.
 */
const CLICKS_MAX = 8
const FIELDS_MAX = 5

const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page
const done = { clicks: 0, fields: 0 }

const click = async (place: Locator) => {
  done.clicks += 1
  await place.click()
}
/** Where the page has put the focus by itself, nothing has to be pressed first. */
const write = async (place: Locator, text: string) => {
  done.fields += 1
  await expect.poll(() => place.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.type(text)
}

const PEOPLE = `email,first name,company\n${Array.from({ length: 500 }, (_, n) => `p${n}@example.com,Person ${n},Company ${n % 40}`).join('\n')}\n`

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  page = await olga.open('/overview')
})
afterAll(() => olga.leave())

test('three steps and 500 people take eight presses and five fields', async () => {
  const nav = page.getByRole('navigation').first()
  const text = (step: number) => page.getByRole('textbox', { name: `Text of step ${step}`, exact: true })

  await click(nav.getByRole('link', { name: 'Sequences' }))
  await click(page.getByRole('button', { name: 'New sequence' }))
  await write(page.getByLabel('Name of the sequence'), 'Trade fair')
  await page.getByRole('textbox', { name: 'Subject of step 1' }).click()
  await write(page.getByRole('textbox', { name: 'Subject of step 1' }), 'Your stand, {{firstName}}')
  await text(1).click()
  await write(text(1), 'A word about {{company}}.')
  for (const step of [2, 3]) {
    await click(page.getByRole('button', { name: 'Add a step' }))
    await write(text(step), `Note ${step}`)
  }
  await page.getByText(/^Saved/).waitFor()

  await click(nav.getByRole('link', { name: 'Prospects' }))
  await click(page.getByRole('main').getByRole('link', { name: 'Import' }))
  done.clicks += 1
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(PEOPLE) })
  await click(page.getByRole('button', { name: 'Import these people' }))
  await page.getByRole('link', { name: '500 created' }).waitFor()

  const { sequences } = await olga.ask<{ sequences: { name: string; steps: unknown }[] }>('GET', '/api/sequences')
  expect(sequences).toEqual([expect.objectContaining({ name: 'Trade fair', steps: 3 })])
  expect(done.clicks).toBeLessThanOrEqual(CLICKS_MAX)
  expect(done.fields).toBeLessThanOrEqual(FIELDS_MAX)
  expect(olga.complaints).toEqual([])
})
