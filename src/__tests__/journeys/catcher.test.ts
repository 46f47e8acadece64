import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findingsOn, LOOKS } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { type Catcher, list, send, startCatcher } from '#tests/support/mail/catcher.ts'

const chromium = testBrowser()

async function openInbox(catcher: Catcher, look: object = {}): Promise<Page> {
  const page = await (await chromium.browser.newContext(look)).newPage()
  await page.goto(`${catcher.url}/?token=${catcher.token}`)
  return page
}

test('an open inbox shows what comes, and leaves focus and place where they are', async () => {
  const catcher = await startCatcher()
  const page = await openInbox(catcher)
  await page.getByText('No mail yet').waitFor()
  for (let number = 1; number <= 40; number += 1) await send(catcher, { subject: `Number ${number}` })
  const row = page.getByRole('link', { name: 'Number 20' })
  await expect.poll(() => page.getByRole('status').textContent()).toContain('40 mails')
  await row.focus()
  const top = async () => Math.round((await row.boundingBox())?.y ?? 0)
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0)
  const before = await top()
  await send(catcher, { subject: 'One more' })
  await page.getByRole('link', { name: 'One more' }).waitFor()
  expect(await row.evaluate((link) => link === document.activeElement)).toBe(true)
  expect(await top()).toBe(before)
})

test('an inbox is emptied only by the second press', async () => {
  const catcher = await startCatcher()
  await send(catcher, { subject: 'Kept for now' })
  const page = await openInbox(catcher)
  await page.getByRole('button', { name: 'Delete all mails' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect((await list(catcher)).total).toBe(1)
  await page.getByRole('button', { name: 'Delete all mails' }).click()
  await page.getByRole('button', { name: 'Delete all', exact: true }).click()
  await page.getByText('No mail yet').waitFor()
  expect((await list(catcher)).total).toBe(0)
})

test.each(LOOKS)('axe finds nothing on any page, and none is wider than the screen: $name', async (look) => {
  const catcher = await startCatcher()
  const page = await openInbox(catcher, { viewport: { width: look.width, height: look.height }, ...look })
  expect(await findingsOn(page)).toEqual([])
  const html = '<h1>Hello</h1><img src="https://track.test/p.gif">'
  await send(catcher, { subject: 'A subject '.repeat(30), html, text: 'Hello', headers: { 'X-Long': 'x'.repeat(400) } })
  const [mail] = (await list(catcher)).messages
  for (const path of [
    '/',
    '/?q=nothing',
    '/m/0',
    ...['html', 'text', 'headers', 'raw'].map((tab) => `/m/${mail?.id}?tab=${tab}`),
  ]) {
    await page.goto(catcher.url + path)
    expect(await findingsOn(page), path).toEqual([])
  }
  await page.goto(catcher.url)
  await page.getByRole('button', { name: 'Delete all mails' }).click()
  expect(await findingsOn(page), 'the question').toEqual([])
})
