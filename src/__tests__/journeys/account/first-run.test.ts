import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, PASSWORD, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()
const chromium = testBrowser()

/** The stories below follow each other: an installation is empty only once. */
describe('the first run', () => {
  let olga: Guest

  beforeAll(async () => {
    olga = await Guest.enter(app, chromium.browser)
  })
  afterAll(() => olga.leave())

  test('an empty installation leads every door to setup', async () => {
    const page = await olga.open('/')
    await page.getByRole('banner').getByRole('link', { name: 'Set up Sendonce' }).click()
    await page.waitForURL('/setup')
    for (const door of ['/sign-in', '/overview', '/team']) {
      await page.goto(door)
      expect(new URL(page.url()).pathname, door).toBe('/setup')
    }
    await page.close()
  })

  test('wrong input is told at its field, and nothing of what was typed is lost', async () => {
    olga.expectedStatus.add(400)
    const page = await olga.open('/setup')
    await page.getByLabel('Email').fill('olga at example')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Set up Sendonce' }).click()

    const told = {
      'Your name': 'A name is needed.',
      Email: 'This is not an email address.',
      Password: 'A password has at least 10 characters.',
      'Workspace name': 'The name of a workspace is needed.',
    }
    for (const [label, sentence] of Object.entries(told)) {
      const field = page.getByLabel(label, { exact: true })
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
      const describedBy = (await field.getAttribute('aria-describedby'))?.split(' ')[0]
      expect(await page.locator(`[id="${describedBy}"]`).textContent(), label).toBe(sentence)
    }
    const first = page.getByLabel('Your name')
    expect(await first.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await page.getByLabel('Email').inputValue()).toBe('olga at example')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('short')
    olga.expectedStatus.delete(400)
    await page.close()
  })

  test('the first owner names a workspace, chooses its zone, and lands in it', async () => {
    const page = await olga.open('/setup')
    await page.getByLabel('Your name').fill('Olga Owner')
    await page.getByLabel('Email').fill('Olga@Example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Workspace name').fill('Acme')

    // The zone of the browser is offered.
    const zone = page.getByLabel('Time zone', { exact: true })
    await expect.poll(() => zone.textContent()).toBe('Europe/Berlin')
    await zone.click()
    await page.getByPlaceholder('City or region').fill('st johns')
    await page.getByRole('option', { name: 'America/St_Johns' }).click()
    expect(await zone.textContent()).toBe('America/St_Johns')

    await page.getByRole('button', { name: 'Set up Sendonce' }).dblclick()
    await page.waitForURL('/overview')
    await untilListening(page)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByText('as the clock in America/St_Johns shows them').waitFor()
    await page.getByRole('button', { name: 'Workspace: Acme' }).waitFor()
    await page.goto('/team')
    const row = page.getByRole('row', { name: 'olga@example.com' })
    await row.getByText('Only owner').waitFor()
    await page.close()
  })

  test('setup is closed afterwards, on the page and behind it; nobody got in by it', async () => {
    const stranger = await Guest.enter(app, chromium.browser)
    const page = await stranger.open('/setup')
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await page.goto('/')
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    const body = { name: 'Eve', email: 'eve@example.com', password: PASSWORD, workspaceName: 'Mine' }
    expect((await stranger.call('POST', '/api/setup', body)).status()).toBe(409)
    expect((await stranger.call('POST', '/api/session', { email: body.email, password: PASSWORD })).status()).toBe(401)
    expect(stranger.complaints).toEqual([])
    await stranger.leave()
  })

  test('nothing complained in the console all along', () => {
    expect(olga.complaints).toEqual([])
  })
})
