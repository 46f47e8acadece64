import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, pressPageKey } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** One sitting with the list of those who get nothing: found, added, taken off and put back, with a colleague at work. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

const row = (name: string) => page.getByRole('row', { name })
const suppress = (value: string) => olga.ask('POST', '/api/suppressions', { value, reason: null })

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  page = await olga.open('/suppressions')
})
afterAll(() => olga.leave())

describe('suppressions', () => {
  test('an empty list says what it is for, and the first one is added by keyboard alone', async () => {
    await page.getByRole('heading', { name: 'Nobody is suppressed' }).waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'Suppress an address or a domain' })
    await dialog.getByLabel('Address or domain').waitFor()
    await page.keyboard.type('two@addresses.test, three@addresses.test')
    await page.keyboard.press('Enter')
    olga.expectedStatus.add(400)
    await dialog.getByText('Only one address is possible here').waitFor()
    await dialog.getByLabel('Address or domain').fill('Competitor.Example')
    await page.keyboard.press('Tab')
    await page.keyboard.type('they asked their lawyer')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await row('competitor.example and all below it').getByText('they asked their lawyer').waitFor()
    await page.getByText('competitor.example is suppressed. Nothing waited for it.').waitFor()
  })

  test('what a colleague adds appears by itself, and the focus stays in its row', async () => {
    await page.keyboard.press('j')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('competitor.example')
    await suppress('late@example.com')
    await row('late@example.com').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('competitor.example')
    await page.keyboard.press('k')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('late@example.com')
  })

  test('a search stands in the address, survives a reload, and finds by a part', async () => {
    await pressPageKey(page, '/')
    await page.keyboard.type('compet')
    await page.waitForURL('/suppressions?q=compet')
    await row('late@example.com').waitFor({ state: 'hidden' })
    await page.reload()
    await row('competitor.example').waitFor()
    expect(await page.getByLabel('Search addresses and domains').inputValue()).toBe('compet')
    expect(await row('late@example.com').count()).toBe(0)
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await row('late@example.com').waitFor()
    await expect.poll(() => page.getByLabel('Search addresses and domains').inputValue()).toBe('')
  })

  test('a server that is lost is said, what was shown stays, and it is found again', async () => {
    await page.route('**/api/suppressions?*', (route) => route.abort())
    await page.getByText('The server does not answer.').waitFor()
    await row('late@example.com').waitFor()
    await page.unroute('**/api/suppressions?*')
    await page.getByText('The server does not answer.').waitFor({ state: 'hidden' })
    olga.complaints.splice(0)
  })

  test('what a person added is taken off with a reason, and put back by the undo', async () => {
    await page.getByRole('button', { name: 'Actions for late@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Take off the list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take late@example.com off the list?' })
    await dialog.getByLabel('Why').fill('it was a mistake')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await row('late@example.com').waitFor({ state: 'hidden' })
    const { entries } = await olga.ask<{ entries: { details: unknown }[] }>('GET', '/api/audit?limit=1')
    expect(entries[0]?.details).toEqual({ reason: 'it was a mistake' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('late@example.com is suppressed again.').waitFor()
    await row('late@example.com').waitFor()
  })

  test('one that bounced is asked about first, and what the reader asked for offers nothing', async () => {
    await suppress('gone@example.com')
    await suppress('left@example.com')
    await app.sql(`UPDATE suppressions SET source = 'BOUNCE' WHERE value = 'gone@example.com'`)
    await app.sql(`UPDATE suppressions SET source = 'UNSUBSCRIBE' WHERE value = 'left@example.com'`)
    await row('left@example.com').getByText('The reader unsubscribed').waitFor()
    expect(await page.getByRole('button', { name: 'Actions for left@example.com' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Actions for gone@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Take off the list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take gone@example.com off the list?' })
    await dialog.getByText('will most likely bounce again').waitFor()
    await dialog.getByRole('button', { name: 'Take off the list' }).click()
    // Behind an open dialog every row is hidden, whether it is there or not.
    await dialog.waitFor({ state: 'hidden' })
    await row('gone@example.com').waitFor({ state: 'hidden' })
    expect(olga.complaints).toEqual([])
  })

  test('many are pasted at once, and what cannot be read is left to be mended', async () => {
    await page.getByRole('button', { name: 'Many at once' }).click()
    const dialog = page.getByRole('dialog', { name: 'Suppress many at once' })
    await dialog
      .getByLabel('Addresses and domains', { exact: true })
      .fill('Email;Name\none@junk.example;One\nmore.junk.example\nLATE@example.com\ntwo@@junk.example\n')
    await dialog.getByText('4 found.').waitFor()
    await dialog.getByRole('button', { name: 'Suppress 4' }).click()
    await page.getByText('2 added, 1 was on the list, 0 waiting emails cancelled.').waitFor()
    await dialog.getByText('two@@junk.example: An address has only one @.').waitFor()
    await dialog.getByLabel('Addresses and domains', { exact: true }).fill('two@junk.example')
    await dialog.getByRole('button', { name: 'Suppress 1' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await row('two@junk.example').waitFor()
    await row('more.junk.example').waitFor()
  })

  test('its keys are listed with the shell’s own, and the search is found by its name in the menu', async () => {
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const label of ['Search this list', 'Next row', 'Suppress another', 'Go to Suppressions']) {
      await sheet.getByText(label, { exact: true }).waitFor()
    }
    expect(await sheet.getByText('Open the command menu', { exact: true }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('suppr')
    await page.getByRole('option', { name: 'Suppressions' }).waitFor()
  })
})
