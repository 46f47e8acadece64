import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { CLIENT } from '#tests/support/gmail/client.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A Gmail mailbox from nothing to disconnected, as a person meets it. */
const fake = testGoogle()
const app = testApp(() => ({
  FAKE_GOOGLE_URL: fake.url,
  GOOGLE_CLIENT_ID: CLIENT.clientId,
  GOOGLE_CLIENT_SECRET: CLIENT.clientSecret,
}))
const chromium = testBrowser()
const EMAIL = 'sales@acme.test'
let olga: Guest
let page: Page

const row = () => page.getByRole('row', { name: EMAIL })
const menu = async (item: string) => {
  await page.getByRole('button', { name: `Actions for ${EMAIL}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  page = await olga.open('/mailboxes')
})
afterAll(() => olga.leave())

describe('a Gmail mailbox', () => {
  test('says what it asks for before anybody is sent to Google, and who does not agree there has connected nothing', async () => {
    await page.getByRole('button', { name: 'Connect Gmail' }).click()
    await page.getByRole('dialog', { name: 'Connect Gmail' }).waitFor()
    await page.getByText('View your email messages').waitFor()
    await page.getByRole('button', { name: 'Continue to Google' }).click()
    await page.getByRole('heading', { name: 'This plays Google' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('You did not agree at Google').waitFor()
    await page.getByRole('link', { name: 'Go to the mailboxes' }).click()
    await page.getByRole('heading', { name: 'There is no mailbox yet' }).waitFor()
  })

  test('is tried before the eyes of who comes back, step by step, and is connected then', async () => {
    await page.getByRole('button', { name: 'Connect Gmail' }).click()
    await page.getByRole('button', { name: 'Continue to Google' }).click()
    await page.getByLabel('Sign in as').fill(EMAIL)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText(`${EMAIL} is connected, and sends as its limits allow.`).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'see that it can no longer be sent' }).waitFor()
    // The way back from Google is open once, and the page is not refused for having come by it.
    await expect.poll(() => new URL(page.url()).searchParams.has('code')).toBe(false)
    await page.reload()
    await page.getByText(`Nothing is left to do here. ${EMAIL} is: Connected.`).waitFor()
    await page.getByRole('link', { name: 'Go to the mailboxes' }).click()
    await row().getByText('Connected').waitFor()
    await row().getByText('Gmail').waitFor()
    expect(fake.journal().filter(({ event }) => event === 'sent')).toHaveLength(1)
  })

  test('whose permission was taken back says so at its test, and leads to Google again', async () => {
    await fake.takeBack(EMAIL)
    await menu('Test…')
    await page.getByRole('dialog').getByText('Connect the mailbox again').first().waitFor()
    await page.getByRole('button', { name: 'Change the access…' }).click()
    await page.getByRole('dialog', { name: `Connect ${EMAIL} again` }).waitFor()
    await page.getByRole('button', { name: 'Continue to Google' }).click()
    // The account that is meant stands there already.
    await expect.poll(() => page.getByLabel('Sign in as').inputValue()).toBe(EMAIL)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText(`${EMAIL} is connected, and sends as its limits allow.`).waitFor()
    await page.getByRole('link', { name: 'Go to the mailboxes' }).click()
  })

  test('is disconnected with its permission given back, and says how to go on', async () => {
    await menu('Disconnect…')
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
    await row().getByText('It was disconnected from Google.').waitFor()
    expect(fake.journal().filter((one) => one.event === 'revoked' && one.email === EMAIL)).toHaveLength(2)
    await row().getByRole('button', { name: 'Reconnect' }).click()
    await page.getByRole('dialog', { name: `Connect ${EMAIL} again` }).waitFor()
  })
})
