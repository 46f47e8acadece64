import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, pressPageKey } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A domain from added to removed, with a DNS that may or may not answer here. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await olga.setUp()
  page = await olga.open('/settings/domains')
})
afterAll(() => olga.leave())

describe('domains', () => {
  test('the first is added by keyboard alone, and what is no domain is told', async () => {
    await page.getByRole('heading', { name: 'No domain signs yet' }).waitFor()
    await pressPageKey(page, 'n')
    await page.waitForURL('/settings/domains?do=add')
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    await dialog.waitFor()
    olga.expectedStatus.add(400)
    await page.keyboard.type('not a domain')
    await page.keyboard.press('Enter')
    const field = dialog.getByRole('textbox', { name: 'Domain', exact: true })
    const problem = page.locator('[id$="-error"]', { hasText: /domain/i })
    await problem.waitFor()
    expect(await field.getAttribute('aria-describedby')).toContain(await problem.getAttribute('id'))
    await field.fill('Acme.test')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'acme.test' }).waitFor()
    await page.getByText('Emails from it are not signed yet. DNS has not been looked at yet.').waitFor()
  })

  test('each record is copied by itself', async () => {
    const { domains } = await olga.ask<{ domains: { record: { name: string; value: string } }[] }>(
      'GET',
      '/api/domains',
    )
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy the name for DKIM' }).click()
    await expect.poll(copied).toBe(domains[0]?.record.name)
    await page.getByRole('button', { name: 'Copy the value for DKIM' }).click()
    await expect.poll(copied).toBe(domains[0]?.record.value)
    await page.getByRole('button', { name: 'Copy the value for DMARC' }).click()
    await expect.poll(copied).toBe('v=DMARC1; p=none')
  })

  test('looking says of each what was found, and when', async () => {
    await page.getByRole('button', { name: 'Look now' }).click()
    // Where no DNS can be reached it says so; where one can, such a domain has none of them.
    await page
      .getByRole('listitem')
      .filter({ hasText: 'DKIM' })
      .getByText(/^(No answer|Missing)$/)
      .waitFor({ timeout: 30_000 })
    await page.getByText(/DNS was looked at/).waitFor()
    await page.getByRole('button', { name: 'Look again' }).waitFor()
    await page.reload()
    await page.getByText(/DNS was looked at/).waitFor()
  })

  test('what is found elsewhere appears by itself, and it is removed once that was asked', async () => {
    const found = { state: 'wrong', sentence: 'There are several SPF records.', found: 'v=spf1 -all\nv=spf1 ~all' }
    await app.sql(`UPDATE sending_domains SET findings = jsonb_set(findings, '{spf}', $1)`, [JSON.stringify(found)])
    await page.getByText('There are several SPF records.').waitFor()
    await page.getByRole('button', { name: 'Actions for acme.test' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the domain' }).click()
    await page.getByRole('heading', { name: 'No domain signs yet' }).waitFor()
    expect(olga.complaints).toEqual([])
  })
})
