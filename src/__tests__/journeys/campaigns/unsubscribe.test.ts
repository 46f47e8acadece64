import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findingsOn, LOOKS } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, mailTo } from '#tests/support/browser/guest.ts'
import { callCron, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/** From the inbox of the mail catcher to the follow-ups that are not sent: the product as shipped, and a reader. */
const app = testApp()
const chromium = testBrowser()
let owner: Guest
let reader: Guest
let campaignId: string

const READERS = ['zoe@example.test', 'yan@example.test', 'xia@example.test']
const STEPS = [
  { subject: 'Hello {{firstName}}', bodyHtml: '<html><body><p>Dear {{firstName}},</p><p>a word.</p></body></html>' },
  { delayDays: 2, bodyText: 'Again.' },
  { delayDays: 2, bodyText: 'For the last time.' },
]

beforeAll(async () => {
  owner = await Guest.enter(app, chromium.browser)
  reader = await Guest.enter(app, chromium.browser)
  await owner.setUp()
  await setUpSending(app, owner)
  for (const email of READERS) await owner.ask('POST', '/api/prospects', { email, firstName: email.slice(0, 3) })
  campaignId = await launchToAll(owner, STEPS)
  await callCron(app)
})

async function statusesOf(email: string): Promise<string[]> {
  const { emails } = await owner.ask<{ emails: { prospect: string; stepNumber: number; status: string }[] }>(
    'GET',
    `/api/campaigns/${campaignId}/scheduled-emails`,
  )
  return emails
    .filter(({ prospect }) => prospect === email)
    .toSorted((a, b) => a.stepNumber - b.stepNumber)
    .map(({ status }) => status)
}

async function linkTo(email: string): Promise<string> {
  const link = /https?:\S+\/u\/[\w-]{66}/.exec((await mailTo(app, email)).text)?.[0]
  if (!link) throw new Error(`the mail to ${email} holds no way out`)
  return link
}

const title = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

test('a reader opens the mail, presses unsubscribe, and the follow-ups are cancelled; then comes back', async () => {
  const [email = ''] = READERS
  const mail = await mailTo(app, email)
  expect(mail.subject).toBe('Hello zoe')
  expect(mail.text).toContain('1 High Street')
  expect(await statusesOf(email)).toEqual(['SENT', 'SCHEDULED', 'SCHEDULED'])

  const inbox = await reader.context.newPage()
  await inbox.goto(app.inCatcher(`/m/${mail.id}?tab=html`))
  const opening = reader.context.waitForEvent('page')
  await inbox.frameLocator('iframe').getByRole('link', { name: 'here' }).click()
  const page = await opening
  await page.getByRole('heading', { name: 'Unsubscribe?' }).waitFor()
  expect(await statusesOf(email)).toEqual(['SENT', 'SCHEDULED', 'SCHEDULED'])

  await page.getByRole('button', { name: 'Unsubscribe' }).press('Enter')
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
  expect(await statusesOf(email)).toEqual(['SENT', 'CANCELLED', 'CANCELLED'])

  await page.getByRole('button', { name: 'Subscribe again' }).click()
  await page.getByRole('heading', { name: 'You are subscribed again' }).waitFor()
  expect(await statusesOf(email)).toEqual(['SENT', 'CANCELLED', 'CANCELLED'])
  // The catcher's own is for another port, which cookies do not tell apart.
  const cookies = await reader.context.cookies(app.url)
  expect(cookies.filter(({ name }) => !name.startsWith('catcher-'))).toEqual([])
  expect(reader.complaints).toEqual([])
})

test('a mail program’s own button unsubscribes at one click', async () => {
  const [, email = ''] = READERS
  const mail = await mailTo(app, email)
  const inbox = await reader.context.newPage()
  await inbox.goto(app.inCatcher(`/m/${mail.id}`))
  await inbox.getByRole('button', { name: 'One-click unsubscribe' }).click()
  await inbox.getByText('The address answered 200 OK').waitFor()
  expect(await statusesOf(email)).toEqual(['SENT', 'CANCELLED', 'CANCELLED'])
})

test('the server’s log does not hold the link, and its answers are under the strictest of policies', async () => {
  const link = await linkTo(READERS[2] ?? '')
  const answer = await fetch(link)
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
  expect(answer.headers.getSetCookie()).toEqual([])
  await sleep(200)
  const log = await app.serverLog()
  expect(log.length).toBeGreaterThan(0)
  expect(log).not.toContain(link.split('/u/')[1])
})

test('a preview’s frame is under a policy of its own, and the pages’ own is not beside it', async () => {
  const { sequences } = await owner.ask<{ sequences: { id: string }[] }>('GET', '/api/sequences')
  const { prospects } = await owner.ask<{ prospects: { id: string }[] }>('GET', '/api/prospects')
  const address = `/api/sequences/${sequences[0]?.id}/preview/frame?stepNumber=1&prospectId=${prospects[0]?.id}`
  const answer = await owner.call('GET', address)
  expect(answer.status()).toBe(200)
  expect(answer.headers()['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
  expect(answer.headers()['x-frame-options']).toBe('SAMEORIGIN')
})

const STATES: { state: string; heading: string; address: () => Promise<string>; press?: string }[] = [
  { state: 'not yet', heading: 'Unsubscribe?', address: () => linkTo(READERS[2] ?? '') },
  {
    state: 'done',
    heading: 'You are unsubscribed',
    address: () => linkTo(READERS[2] ?? ''),
    press: 'Unsubscribe',
  },
  { state: 'already', heading: 'You are already unsubscribed', address: () => linkTo(READERS[1] ?? '') },
  { state: 'invalid', heading: 'This link does not work', address: async () => `${app.url}/u/nothing` },
  { state: 'of a test', heading: 'This link is from a test email', address: async () => `${app.url}/u/test` },
]

describe.each(STATES)('the page, $state', ({ state, heading, address, press }) => {
  test.each(LOOKS)('$name', async (look) => {
    const guest = await Guest.enter(app, chromium.browser, {
      viewport: { width: look.width, height: look.height },
      colorScheme: look.colorScheme,
    })
    guest.expectedStatus.add(404)
    const page = await guest.context.newPage()
    await page.goto(await address())
    if (press) await page.getByRole('button', { name: press }).click()
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    expect(await title(page)).toBe(heading)
    expect(await page.title()).toBe(`${heading} · Sendonce`)
    expect(await findingsOn(page)).toEqual([])
    expect(guest.complaints).toEqual([])
    const folder = process.env.SCREENSHOTS
    if (folder)
      await page.screenshot({ path: `${folder}/unsubscribe-${state}-${look.name}.png`.replaceAll(/[, ]+/g, '-') })
    // For the next look it has to be as it was.
    if (press) await page.getByRole('button', { name: 'Subscribe again' }).click()
    await guest.leave()
  })
})
