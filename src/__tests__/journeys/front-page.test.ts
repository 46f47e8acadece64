import { describe, expect, test } from 'vitest'
import { findingsOn, LOOKS } from '#tests/support/accessibility.ts'
import { testApp } from '#tests/support/app.ts'
import { testBrowser } from '#tests/support/browser.ts'

const app = testApp()
const chromium = testBrowser()

describe('the front page', () => {
  test('says what this is, how it is, and where the caught mail is', async () => {
    await fetch(`${app.url}/api/cron/send-emails`, { headers: { authorization: `Bearer ${app.cronSecret}` } })
    const page = await chromium.browser.newPage()
    await page.goto(app.url)
    await expect.poll(() => page.getByText('Postgres answers').first().isVisible()).toBe(true)
    const [inbox] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open the inbox' }).click(),
    ])
    expect(inbox.url()).toBe(`${app.catcherUrl}/`)
    expect(await inbox.title()).toMatch(/catcher/i)
    await inbox.close()
    await page.close()
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
