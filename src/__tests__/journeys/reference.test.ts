import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findingsOn, LOOKS } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** The API reference: a document by itself, with a script of Scalar's that is served from here. */
const app = testApp()
const chromium = testBrowser()

/** Of Scalar's own parts, which nothing here can change; its colours are ours (decisions/openapi.md). */
const OF_SCALAR =
  /^(aria-input-field-name|aria-required-attr|button-name|label-content-name-mismatch|scrollable-region-focusable): /

let olga: Guest
const asked: string[] = []

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await olga.ask('POST', '/api/lists', { name: 'Trade fair' })
  olga.context.on('request', (request) => asked.push(request.url()))
})
afterAll(() => olga.leave())

async function openAt(guest: Guest, hash = '', heading = 'Transactional email'): Promise<Page> {
  const page = await guest.context.newPage()
  await page.goto(`/reference${hash}`)
  await page.getByRole('heading', { name: heading }).first().waitFor()
  return page
}

/** Opens “Lists, List”, and sends it as it stands there. */
async function tryLists(page: Page): Promise<number> {
  const open = page.getByRole('button', { name: /Test Request.*get.*\/api\/lists\b/i })
  await open.first().click()
  return send(page)
}

async function send(page: Page): Promise<number> {
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/lists')
  await page.getByRole('button', { name: /^Send/ }).first().click()
  return (await answered).status()
}

describe('the API reference', () => {
  test('asks nobody but us for anything, and runs nothing that the policy does not name', async () => {
    const page = await openAt(olga)
    const policy = (await (await olga.call('GET', '/reference')).headers())['content-security-policy'] ?? ''
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic';/)
    expect(policy).toContain("connect-src 'self'")
    expect(policy).not.toContain('unsafe-eval')
    expect(asked.filter((url) => !url.startsWith(`${app.url}/`) && !url.startsWith('data:'))).toEqual([])
    expect(asked.some((url) => url.endsWith('/reference/scalar.js'))).toBe(true)
    expect(olga.complaints).toEqual([])
    await page.close()
  })

  test('tries an operation as the person who is signed in', async () => {
    const page = await openAt(olga, '#tag/lists/GET/api/lists', 'Lists')
    expect(await tryLists(page)).toBe(200)
    await expect.poll(() => page.getByText('Trade fair').count()).toBeGreaterThan(0)
    await page.close()
  })

  test('tries it with a key, where nobody is signed in, and keeps the key nowhere', async () => {
    const { key } = await olga.ask<{ key: string }>('POST', '/api/api-keys', { name: 'Tried', scopes: ['read'] })
    const stranger = await Guest.enter(app, chromium.browser)
    stranger.expectedStatus.add(401)
    const page = await openAt(stranger, '#tag/lists/GET/api/lists', 'Lists')
    expect(await tryLists(page)).toBe(401)
    await page.getByRole('textbox', { name: /token/i }).last().fill(key)
    expect(await send(page)).toBe(200)
    await expect.poll(() => page.getByText('Trade fair').count()).toBeGreaterThan(0)
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(kept).not.toContain(key)
    await stranger.leave()
  })

  test.each(LOOKS)(
    'can be read by everybody, as far as it is ours: $name',
    async ({ name: _, colorScheme, ...size }) => {
      const page = await olga.context.newPage()
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      await page.goto('/reference')
      await page.getByRole('heading', { name: 'Transactional email' }).first().waitFor()
      expect((await findingsOn(page)).filter((finding) => !OF_SCALAR.test(finding))).toEqual([])
      await page.close()
    },
  )

  test('is one step from the page of keys, and in the command menu', async () => {
    const page = await olga.open('/settings/api-keys')
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.waitForURL('/reference')
    await page.getByRole('link', { name: 'Back to Sendonce' }).click()
    await page.waitForURL('/overview')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('API reference')
    await page.getByRole('option', { name: 'API reference' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/reference')
    await page.close()
  })
})
