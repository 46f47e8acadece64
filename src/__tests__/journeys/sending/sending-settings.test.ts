import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** The week, the days off and the limits: changed, refused, taken back, and overtaken by a colleague. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

type Settings = {
  sendingDays: number[]
  windowStartMinute: number
  windowEndMinute: number
  daysOff: string[]
  dailyQuota: number
}
const kept = () => olga.ask<Settings & Record<string, unknown>>('GET', '/api/settings/sending')
const save = async () => {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Not saved yet.', { exact: true }).waitFor({ state: 'hidden' })
}

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  page = await olga.open('/settings/sending')
  await page.getByText('Monday to Friday, 09:00 to 17:00').waitFor()
})
afterAll(() => olga.leave())

describe('sending settings', () => {
  test('the week is dragged; what it changes in the plan is told before it is saved, and the undo takes it back', async () => {
    const tuesday = await page.locator('[data-day="2"]').boundingBox()
    const thursday = await page.locator('[data-day="4"]').boundingBox()
    if (!tuesday || !thursday) throw new Error('the week is not on the page')
    const at = (box: typeof tuesday, hour: number) =>
      [box.x + (box.width * (hour + 0.1)) / 24, box.y + box.height / 2] as const
    await page.mouse.move(...at(tuesday, 8))
    await page.mouse.down()
    await page.mouse.move(...at(thursday, 12), { steps: 4 })
    await page.mouse.up()
    await page.getByText('Tuesday to Thursday, 08:00 to 12:30').waitFor()
    await page.getByText('Nothing waits, so no email moves.').waitFor()
    await save()
    expect(await kept()).toMatchObject({ sendingDays: [2, 3, 4], windowStartMinute: 480, windowEndMinute: 750 })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The sending settings are as they were.').waitFor()
    await page.getByText('Monday to Friday, 09:00 to 17:00').waitFor()
    expect(await kept()).toMatchObject({ sendingDays: [1, 2, 3, 4, 5], windowStartMinute: 540, windowEndMinute: 1020 })
  })

  test('by keyboard alone: days, hours, a day off, and saved', async () => {
    await page.getByRole('checkbox', { name: 'Saturday' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('slider', { name: 'End of the window' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Monday to Saturday, 09:00 to 17:30').waitFor()
    await page.locator('[data-date][tabindex="0"]').focus()
    await page.keyboard.press('PageDown')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Save', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Not saved yet.', { exact: true }).waitFor({ state: 'hidden' })
    const now = await kept()
    expect(now).toMatchObject({ sendingDays: [1, 2, 3, 4, 5, 6], windowEndMinute: 1050 })
    expect(now.daysOff).toHaveLength(1)
  })

  test('a country’s public holidays are taken over', async () => {
    await page.getByRole('button', { name: 'Take over public holidays' }).click()
    await page.getByLabel('Country').click()
    await page.getByRole('option', { name: 'Germany' }).click()
    await page.getByLabel('Public holidays of').getByText('Labour Day').waitFor()
    await page.getByRole('button', { name: /^Take over \d+ of/ }).click()
    await page.getByRole('button', { name: /^All of \d+ are days off/ }).waitFor()
    await save()
    expect((await kept()).daysOff.filter((date) => date.endsWith('-12-25'))).toHaveLength(1)
  })

  test('what is refused is told at its field, and what was typed stays through a reload', async () => {
    olga.expectedStatus.add(400)
    await page.getByLabel('Emails a day').fill('0')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The daily quota must be a whole number from 1').first().waitFor()
    await page.getByLabel('Emails a day').fill('33')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Not saved yet.', { exact: true }).waitFor()
    await expect.poll(() => page.getByLabel('Emails a day').inputValue()).toBe('33')
    await page.getByText('The workspace sends at most 33 emails a day.').waitFor()
  })

  test('a colleague’s change is noticed and not overwritten in silence', async () => {
    const { nextTimeZone: _, nextTimeZoneAt: __, version: ___, ...theirs } = await kept()
    await olga.ask('PUT', '/api/settings/sending', { ...theirs, dailyQuota: 77 })
    await page.getByText('Another person has changed these settings').waitFor()
    expect(await page.getByLabel('Emails a day').inputValue()).toBe('33')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await expect.poll(() => page.getByLabel('Emails a day').inputValue()).toBe('77')
    await page.getByText('Not saved yet.', { exact: true }).waitFor({ state: 'hidden' })
  })

  test('the postal address is shown as it will stand below an email', async () => {
    await page.getByLabel('Address', { exact: true }).fill('Acme\n1 Main Street')
    await page.getByText('No email moves.').waitFor()
    await save()
    const { workspace } = await olga.ask<{ workspace: { id: string } }>('GET', '/api/session')
    expect(await olga.ask('GET', `/api/workspaces/${workspace.id}`)).toMatchObject({
      postalAddress: 'Acme\n1 Main Street',
    })
    expect(olga.complaints).toEqual([])
  })
})
