import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A page that broke says so, and its button brings it back once what broke it is over. How they look is in pages/. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

test('a page that an answer broke comes back when it is tried again', async () => {
  const page = await olga.open('/overview')
  await page.route('**/api/overview', (route) => route.fulfill({ json: { success: true, data: {} } }))
  await heading(page, 'This page broke').waitFor()
  await page.unroute('**/api/overview')
  await page.getByRole('button', { name: 'Try again' }).click()
  await heading(page, 'Four steps to your first email').waitFor()
  await page.close()
})

test('a page that broke on the server comes back when it is tried again', async () => {
  await app.sql('ALTER TABLE members RENAME TO members_elsewhere')
  const page = await olga.context.newPage()
  expect((await page.goto('/lists'))?.status()).toBe(500)
  await heading(page, 'This page broke').waitFor()
  expect(await page.getByRole('link', { name: 'Go to the start' }).getAttribute('href')).toBe('/')
  await app.sql('ALTER TABLE members_elsewhere RENAME TO members')
  await page.getByRole('button', { name: 'Try again' }).click()
  await heading(page, 'Lists').waitFor()
  await page.close()
})
