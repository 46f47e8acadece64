import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, pressPageKey, untilInMenu, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** One sitting with the people of a workspace; but for the pages that open, everything by keyboard. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

const row = (name: string) => page.getByRole('row', { name })
const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
const add = (email: string, more: object = {}) => olga.ask('POST', '/api/prospects', { email, ...more })
const bar = () => page.getByRole('region', { name: 'What to do with those who are selected' })

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  page = await olga.open('/prospects')
})
afterAll(() => olga.leave())

describe('people', () => {
  test('the first one is added by keyboard alone; an address that is known leads to who has it', async () => {
    await page.getByRole('heading', { name: 'Nobody is here yet' }).waitFor()
    await pressPageKey(page, 'n')
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByLabel('Address').waitFor()
    await page.keyboard.type('Ada@Example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Ada')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await row('ada@example.com').waitFor()
    await page.getByText('1 person, the newest first.').waitFor()

    await pressPageKey(page, 'n')
    await dialog.getByLabel('Address').fill('ada@example.com')
    olga.expectedStatus.add(409)
    await page.keyboard.press('Enter')
    await dialog.getByRole('link', { name: 'Open the person who has this address' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText('Close it, and lose what you typed?').waitFor()
    await dialog.getByRole('button', { name: 'Close it' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })

  test('what a colleague adds appears by itself, and the focus stays in its row', async () => {
    await pressPageKey(page, 'j')
    await expect.poll(focused).toContain('ada@example.com')
    await add('late@example.com', { company: 'Acme' })
    await row('late@example.com').waitFor()
    expect(await focused()).toContain('ada@example.com')
    await page.keyboard.press('k')
    await expect.poll(focused).toContain('late@example.com')
  })

  test('conditions stand in the address as a sentence, go one by one, and become a segment', async () => {
    await page.getByRole('button', { name: 'Filter', exact: true }).focus()
    await page.keyboard.press('Enter')
    await untilInMenu(page)
    await page.getByRole('menuitem', { name: 'A field is set' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(focused).toBe('First name')
    await page.keyboard.type('comp')
    await expect.poll(focused).toBe('Company')
    await page.keyboard.press('Enter')
    await page.waitForURL('/prospects?has=company')
    await row('ada@example.com').waitFor({ state: 'hidden' })
    await page.getByText('1 person fits this filter.').waitFor()

    await page.getByRole('button', { name: 'Segments' }).click()
    await page.getByRole('menuitem', { name: 'Save as a segment' }).click()
    await page.getByRole('dialog', { name: 'Save as a segment' }).getByLabel('Name').fill('With a company')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'With a company' }).waitFor()
    await page.getByRole('link', { name: 'Without “company is set”' }).click()
    await row('ada@example.com').waitFor()
    await page.getByRole('button', { name: 'Segments' }).click()
    await page.getByRole('menuitem', { name: 'With a company' }).click()
    await page.waitForURL(/has=company&segment=/)
    await page.reload()
    await row('late@example.com').waitFor()
    expect(await row('ada@example.com').count()).toBe(0)
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await row('ada@example.com').waitFor()
  })

  test('columns are chosen, kept, and drawn by the server', async () => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Time zone' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Time zone' }).waitFor()
    const html = await (await olga.context.request.get('/prospects')).text()
    expect(html).toContain('Time zone</th>')
    expect(html).toContain('ada@example.com')
  })

  test('many are selected over all pages, added to a new list, and taken out again by the undo', async () => {
    await app.sql(
      `INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
       SELECT gen_random_uuid(), w.id, 'many' || n || '@example.com', decode(md5(n::text), 'hex'), app_now()
       FROM workspaces w, generate_series(1, 1498) n`,
    )
    await page.reload()
    await page.getByText('1,500 people, the newest first.').waitFor()
    await pressPageKey(page, 'j')
    await page.keyboard.press('x')
    await bar().getByText('1 selected').waitFor()
    await bar().getByRole('button', { name: 'Select all 1,500' }).click()
    await bar().getByText('All 1,500 selected').waitFor()
    await bar().getByRole('button', { name: 'Add to list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to a list' })
    await dialog.getByLabel('Name of the new list').fill('Everybody')
    await page.keyboard.press('Enter')
    await page.getByText('1,500 people added to “Everybody”.').waitFor()
    const membersOf = async () => {
      const { lists } = await olga.ask<{ lists: { members: number }[] }>('GET', '/api/lists')
      return lists[0]?.members
    }
    expect(await membersOf()).toBe(1_500)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back for 1,500 people.').waitFor()
    expect(await membersOf()).toBe(0)
  })

  test('the list is scrolled to its end, and only what is on the screen is drawn', async () => {
    const place = page.getByRole('region', { name: 'People' })
    const lastRow = () => place.locator('[aria-rowindex="1501"]').count()
    await expect
      .poll(
        async () => {
          await place.evaluate((element) => element.scrollTo(0, element.scrollHeight))
          return lastRow()
        },
        { timeout: 60_000 },
      )
      .toBe(1)
    expect(await place.locator('[data-row]').count()).toBeLessThan(80)
  })

  test('pausing is taken back by the undo, and archiving says the number first', async () => {
    await page.goto('/prospects?q=late%40')
    await row('late@example.com').getByRole('checkbox').check()
    await bar().getByRole('button', { name: 'Pause' }).click()
    await row('late@example.com').getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('late@example.com').getByText('Active').waitFor()

    await row('late@example.com').getByRole('checkbox').check()
    await bar().getByRole('button', { name: 'More for those who are selected' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    const dialog = page.getByRole('dialog', { name: 'Archive 1 person?' })
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await row('late@example.com').waitFor({ state: 'hidden' })
    await page.goto('/prospects?state=archived')
    await row('late@example.com').waitFor()
  })

  test('Enter opens a person, whose fields are edited where they stand, with what a colleague did meanwhile', async () => {
    await page.goto('/prospects?q=ada%40')
    await row('ada@example.com').waitFor()
    await pressPageKey(page, 'j')
    await expect.poll(focused).toContain('ada@example.com')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor()
    await page.getByText('Added.').waitFor()
    const id = page.url().split('/').at(-1)

    const company = page.getByRole('textbox', { name: 'Company' })
    await page.getByRole('button', { name: 'Company: Not set. Change' }).focus()
    await page.keyboard.press('Enter')
    await company.fill('Analytical Engines')
    await olga.ask('PATCH', `/api/prospects/${id}`, { company: 'Babbage & Co' })
    await page.getByText('It was changed to “Babbage & Co” while you typed.').waitFor()
    await company.press('Enter')
    await page.getByRole('button', { name: 'Company: Analytical Engines. Change' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Company: Babbage & Co. Change' }).waitFor()
  })

  test('a person is suppressed and erased from their page; what remains says so', async () => {
    // A message that goes gives the focus back to where it was, and so closes a menu.
    await page.reload()
    await untilListening(page)
    await page.getByRole('button', { name: 'More for Ada' }).click()
    await page.getByRole('menuitem', { name: 'Suppress' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('asked by phone')
    await page.keyboard.press('Enter')
    await page.getByText('This address is suppressed').waitFor()
    await page.getByRole('button', { name: 'More for Ada' }).click()
    await page.getByRole('menuitem', { name: 'Erase' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase Ada?' })
    expect(await dialog.getByRole('button', { name: 'Erase for good' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type “ada@example.com” to go on').fill('ada@example.com')
    await dialog.getByRole('button', { name: 'Erase for good' }).click()
    await page.getByRole('heading', { name: 'An erased person' }).waitFor()
    expect(await page.getByRole('main').getByText('ada@example.com').count()).toBe(0)
    expect(olga.complaints).toEqual([])
  })
})
