import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A workspace that has everything but its postal address. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  const smtp = { host: '127.0.0.1', port: app.smtpPort, security: 'NONE', username: null }
  await olga.ask('POST', '/api/mailboxes', { address: 'ann@acme.example', smtp })
  await olga.ask('POST', '/api/prospects', { email: 'zoe@example.test' })
  const steps = [{ subject: 'Your stand', bodyText: 'A word.' }]
  const { id: sequenceId } = await olga.ask<{ id: string }>('POST', '/api/sequences', { name: 'Intro', steps })
  const { id } = await olga.ask<{ id: string }>('POST', '/api/campaigns', { name: 'Fair', sequenceId })
  await olga.ask('POST', `/api/campaigns/${id}/prospects`, { all: true })
  page = await olga.open(`/campaigns/${id}`)
})
afterAll(() => olga.leave())

test('a postal address that stops the launch is written there, and the launch goes on', async () => {
  await page.getByRole('button', { name: 'Launch…' }).click()
  const launch = page.getByRole('dialog', { name: 'Launch Fair?' })
  const address = launch.getByRole('textbox', { name: 'Postal address' })
  await address.waitFor()
  expect(await launch.getByRole('button', { name: 'Launch now' }).isDisabled()).toBe(true)
  await address.fill('Acme\n1 High Street')
  await launch.getByRole('button', { name: 'Save the address' }).click()
  await expect.poll(() => launch.getByRole('button', { name: 'Launch now' }).isEnabled()).toBe(true)
  await launch.getByRole('button', { name: 'Launch now' }).click()
  await page.getByText('Fair is running.').waitFor()
})
