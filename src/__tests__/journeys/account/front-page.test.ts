import { describe, expect, test } from 'vitest'
import { findingsOn, LOOKS } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()
const chromium = testBrowser()

describe('the front page', () => {
  test('says what this is, how it is, and where the caught mail is', async () => {
    await fetch(`${app.url}/api/cron/send-emails`, { headers: { authorization: `Bearer ${app.cronSecret}` } })
    const page = await chromium.browser.newPage()
    await page.goto(app.url)
    await expect.poll(() => page.getByText('Postgres answers').first().isVisible()).toBe(true)
    // A stranger on this machine is told of the inbox, and not what opens it.
    expect(await page.content()).not.toContain('token=')
    await page.getByText('npm start printed').waitFor()
    await page.close()
  })

  test('leads the founder into the inbox, and nobody else', async () => {
    const founder = await Guest.enter(app, chromium.browser)
    await founder.setUp()
    const page = await founder.open('/')
    const [inbox] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open the inbox' }).click(),
    ])
    await inbox.getByRole('heading', { name: 'Inbox' }).waitFor()
    expect(inbox.url()).not.toContain('token')
    await founder.leave()
  })

  test.each(LOOKS)('has nothing that axe finds: $name', async ({ width, height, colorScheme }) => {
    const page = await chromium.browser.newPage({ viewport: { width, height }, colorScheme })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(app.url)
    await expect.poll(() => page.getByText('Postgres answers').first().isVisible()).toBe(true)
    expect(await findingsOn(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })
})
