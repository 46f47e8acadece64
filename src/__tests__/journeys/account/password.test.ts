import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, mailCount, mailTo, PASSWORD, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()
const chromium = testBrowser()

const OLGA = 'olga@example.com'
const NEW_PASSWORD = 'a staple for the horse'
const ATTEMPTS_MAX = 10

describe('signing in', () => {
  let guest: Guest
  let page: Page

  beforeAll(async () => {
    const founder = await Guest.enter(app, chromium.browser)
    await founder.setUp(OLGA)
    await founder.leave()
    guest = await Guest.enter(app, chromium.browser)
    for (const status of [401, 429]) guest.expectedStatus.add(status)
    page = await guest.open('/sign-in')
  })
  afterAll(() => guest.leave())

  test('a wrong password and an unknown address are told in the same words', async () => {
    for (const [email, password] of [
      [OLGA, 'not the password'],
      ['nobody@example.com', PASSWORD],
    ] as const) {
      await page.reload()
      await untilListening(page)
      await signInByForm(page, email, password)
      await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor()
      expect(await page.getByLabel('Email').inputValue()).toBe(email)
      expect(await page.locator('[aria-invalid="true"]').count()).toBe(0)
      expect(new URL(page.url()).search).toBe('')
    }
  })

  test('after too many tries even the right password waits, and the page says how long', async () => {
    // One was wrong already, in the story above.
    for (let tries = 1; tries < ATTEMPTS_MAX; tries += 1) {
      expect((await guest.call('POST', '/api/session', { email: OLGA, password: `guess ${tries}` })).status()).toBe(401)
    }
    await signInByForm(page, OLGA, PASSWORD)
    await page.getByRole('alert').getByText('That was too often. Try again in 15 minutes.').waitFor()
    const refusal = await guest.call('POST', '/api/session', { email: OLGA, password: PASSWORD })
    expect(refusal.status()).toBe(429)
    expect(Number(refusal.headers()['retry-after'])).toBeGreaterThan(14 * 60)

    await app.sql("UPDATE rate_limits SET window_ends_at = now() - interval '1 second'")
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('/overview')
  })

  test('a link to a page leads there after signing in, and never to another site', async () => {
    const stranger = await Guest.enter(app, chromium.browser)
    const asked = await stranger.open('/audit?action=person.signed-in')
    expect(new URL(asked.url()).pathname).toBe('/sign-in')
    await signInByForm(asked, OLGA, PASSWORD)
    await asked.waitForURL('/audit?action=person.signed-in')
    await asked.goto('/sign-in?next=//elsewhere.invalid/')
    expect(asked.url()).toBe(`${app.url}/overview`)
    expect(stranger.complaints).toEqual([])
    await stranger.leave()
  })

  test('nothing else complained in the console', () => {
    expect(guest.complaints).toEqual([])
  })
})

describe('a forgotten password', () => {
  let guest: Guest
  let elsewhere: Guest
  let elsewherePage: Page

  beforeAll(async () => {
    guest = await Guest.enter(app, chromium.browser)
    elsewhere = await Guest.enter(app, chromium.browser)
    for (const status of [400, 401, 410]) guest.expectedStatus.add(status)
    elsewhere.expectedStatus.add(401)
    await elsewhere.signIn(OLGA)
    elsewherePage = await elsewhere.open('/overview')
  })
  afterAll(async () => {
    await guest.leave()
    await elsewhere.leave()
  })

  test('is asked for by mail, and the page does not tell who has an account', async () => {
    const page = await guest.open('/sign-in')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.waitForURL('/forgot-password')
    for (const email of ['nobody@example.com', OLGA]) {
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Send me a link' }).click()
      const answer = page.getByRole('status').filter({ hasText: 'belongs to an account' })
      await answer.waitFor()
      expect(await answer.textContent()).toContain(
        `If ${email} belongs to an account, a mail with a link is on its way`,
      )
      await page.getByRole('button', { name: 'Try another address' }).click()
    }
    await mailTo(app, OLGA, 'Choose a new password')
    expect(await mailCount(app, 'nobody@example.com')).toBe(0)
    await page.close()
  })

  test('is chosen anew by the link of the mail in the catcher', async () => {
    const { id } = await mailTo(app, OLGA, 'Choose a new password')
    const inbox = await guest.context.newPage()
    await inbox.goto(app.inCatcher(`/m/${id}`))
    const mail = inbox.frameLocator('iframe[title="The mail as its reader sees it"]')
    const [page] = await Promise.all([
      guest.context.waitForEvent('page'),
      mail.getByRole('link', { name: 'Choose a new password' }).click(),
    ])
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await untilListening(page)
    const field = page.getByLabel('New password')
    await field.fill('short')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('A password has at least 10 characters.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')

    await field.fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Change the password' }).dblclick()
    await page.waitForURL('/sign-in?notice=password-changed')
    await page.getByText('Your password is changed. Sign in with the new one.').waitFor()
    await untilListening(page)
    await signInByForm(page, OLGA, PASSWORD)
    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor()
    await signInByForm(page, OLGA, NEW_PASSWORD)
    await page.waitForURL('/overview')
    await page.close()
    await inbox.close()
  })

  test('ends the sessions elsewhere at their next click, and leads back to where they were', async () => {
    const { next, notice } = await clickIntoSignIn(elsewherePage, 'Team', '/team')
    expect(notice).toBe('session-ended')
    await elsewherePage.getByText('Your session has ended. Sign in, and you are back where you were.').waitFor()
    await untilListening(elsewherePage)
    await signInByForm(elsewherePage, OLGA, NEW_PASSWORD)
    await elsewherePage.waitForURL(next)
  })

  test('is not chosen a second time by the same link', async () => {
    const page = await guest.open(await linkMailedTo(app, OLGA, 'Choose a new password'))
    await page.getByLabel('New password').fill('another one altogether')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('alert').getByText('This link has been used already, or it has expired.').waitFor()
    expect((await guest.call('POST', '/api/session', { email: OLGA, password: NEW_PASSWORD })).status()).toBe(200)
    await page.getByRole('link', { name: 'Ask for a new link' }).click()
    await page.waitForURL('/forgot-password')
    await page.close()
  })

  test('a link that lost its end says so, before anything is typed', async () => {
    const page = await guest.context.newPage()
    await page.goto('/reset-password')
    await page.getByText('This link is not complete: part of it was lost on the way here.').waitFor()
    expect(await page.getByLabel('New password').count()).toBe(0)
    await page.close()
  })

  test('stands in the audit log, as the failures before it do', async () => {
    await elsewherePage.goto('/audit')
    const rows = elsewherePage.getByRole('row', { name: OLGA })
    await rows.filter({ hasText: 'reset their password' }).waitFor()
    expect(await rows.filter({ hasText: 'failed to sign in' }).count()).toBe(ATTEMPTS_MAX + 1)
  })
})

describe('signing out', () => {
  test('ends this session, here and in its other tabs, and no other', async () => {
    const olga = await Guest.enter(app, chromium.browser)
    const phone = await Guest.enter(app, chromium.browser)
    olga.expectedStatus.add(401)
    await olga.signIn(OLGA, NEW_PASSWORD)
    await phone.signIn(OLGA, NEW_PASSWORD)
    const otherTab = await olga.open('/overview')
    const page = await olga.open('/team')
    const cookies = await olga.context.cookies()

    await page.getByRole('button', { name: 'Account of Olga Owner' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('/sign-in?notice=signed-out')
    await page.getByText('You are signed out.').waitFor()
    await page.goBack()
    await page.waitForURL(/\/sign-in/)
    await clickIntoSignIn(otherTab, 'Workspace settings', '/settings')

    // The cookie is worth nothing any more, even to a person who kept it.
    await olga.context.addCookies(cookies)
    expect((await olga.call('GET', '/api/session')).status()).toBe(401)
    expect((await phone.call('GET', '/api/session')).status()).toBe(200)
    expect(olga.complaints).toEqual([])
    await olga.leave()
    await phone.leave()
  })
})

/** Of a tab at the overview, at the next click; but a live page may have learnt of it before, and leads back to itself then. */
async function clickIntoSignIn(page: Page, link: string, to: string) {
  // Led away by itself, the page has no such link any more: it is not waited for as long as another would be.
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: link })
    .click({ timeout: 5_000 })
    .catch(() => undefined)
  await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in')
  const { searchParams } = new URL(page.url())
  // The overview goes without saying.
  const next = searchParams.get('next') ?? '/overview'
  expect([to, '/overview']).toContain(next)
  return { next, notice: searchParams.get('notice') }
}

async function signInByForm(page: Page, email: string, password: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
