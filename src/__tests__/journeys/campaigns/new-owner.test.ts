import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, mailCount, mailTo, PASSWORD } from '#tests/support/browser/guest.ts'
import { callCron } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/**
 * The first day of an owner, on the pages alone, beside a worker that sends: from an installation where nobody has been
 * to emails that were read, left and cancelled, and to a colleague who does the same thing at the same moment.
 */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let otto: Guest
let reader: Guest
let page: Page

/** In seconds, between two emails: what goes on in between can be done by hand. */
const PAUSE = 5
const PEOPLE = [
  'E-Mail;First name;Company',
  'zoe@example.test;Zoe;Zoe & Co',
  'yan@example.test;Yan;Yan Ltd',
  'xia@example.test;Xia;',
  'no address at all;Nobody;Nowhere',
  'zoe@example.test;Zoe again;Zoe & Co',
  'will@example.test;"Will;Will Inc',
  'vera@example.test;Vera;Vera AG',
  'uma@example.test;Uma;Uma KG',
].join('\r\n')
const READERS = ['zoe', 'yan', 'vera', 'uma'].map((name) => `${name}@example.test`)

const travel = (interval: string) =>
  app.sql('UPDATE test_support.clock SET "offset" = "offset" + $1::interval', [interval])
const row = (name: string) => page.getByRole('row', { name })
const dialog = (name: string) => page.getByRole('dialog', { name })
/** The number of emails in a state, in the ledger. */
const emails = (state: string, count: number | RegExp, on = page) =>
  on
    .getByRole('figure', { name: 'Emails by state' })
    .locator('dl > div')
    .filter({ hasText: state })
    .getByRole('link', typeof count === 'number' ? { name: String(count), exact: true } : { name: count })
const tab = (name: string) =>
  page.getByRole('navigation', { name: 'Parts of the campaign' }).getByRole('link', { name })
const sentInAll = async () => (await Promise.all(READERS.map((email) => mailCount(app, email)))).reduce((a, b) => a + b)

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  otto = await Guest.enter(app, chromium.browser)
  reader = await Guest.enter(app, chromium.browser)
})
afterAll(() => Promise.all([olga, otto, reader].map((guest) => guest?.leave())))

test('the first run makes the owner, and the overview shows the way', async () => {
  page = await olga.open('/')
  await page.getByRole('banner').getByRole('link', { name: 'Set up Sendonce' }).click()
  await page.getByLabel('Your name').fill('Olga Owner')
  await page.getByLabel('Email').fill('olga@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Workspace name').fill('Acme')
  await page.getByRole('button', { name: 'Set up Sendonce' }).click()
  await page.getByRole('heading', { name: 'Four steps to your first email' }).waitFor()
})

test('a mailbox over SMTP is tested, and the test message arrives', async () => {
  await page.getByRole('link', { name: 'Add a mailbox' }).click()
  await dialog('Add a mailbox').getByText('Another server').click()
  await page.getByLabel('Address', { exact: true }).fill('ann@acme.example')
  await page.getByLabel('Server', { exact: true }).fill('127.0.0.1')
  await page.getByLabel('Port', { exact: true }).fill(String(app.smtpPort))
  await page.getByLabel('Encryption').click()
  await page.getByRole('option', { name: 'None' }).click()
  await page.getByLabel('User name').fill('')
  await page.getByLabel('From name').fill('Ann Acme')
  await page.getByRole('button', { name: 'Test and add' }).click()
  await dialog('Add a mailbox').waitFor({ state: 'hidden' })
  await row('ann@acme.example').getByText('Connected').waitFor()
  expect(await mailCount(app, 'olga@example.com')).toBe(1)
})

test('what every email needs is set: the address of the sender, and when and how fast it goes', async () => {
  await page.getByRole('navigation').first().getByRole('link', { name: 'Sending' }).click()
  for (const day of ['Saturday', 'Sunday']) await page.getByRole('checkbox', { name: day }).check()
  await page.getByLabel('From', { exact: true }).fill('00:00')
  await page.getByLabel('To', { exact: true }).fill('24:00')
  for (const label of ['Shortest pause', 'Longest pause']) await page.getByLabel(label).fill(String(PAUSE))
  await page.getByLabel('Address', { exact: true }).fill('Acme\n1 High Street')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Everything is saved.').waitFor()
})

test('a CSV with faults brings in who can be written to, and says what became of every line', async () => {
  await page.getByRole('navigation').first().getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Import people' }).click()
  const file = { name: 'fair.csv', mimeType: 'text/csv', buffer: Buffer.from(PEOPLE) }
  await page.getByLabel('Choose a file').setInputFiles(file)
  await page.getByText('A quote opens here and never closes.').waitFor()
  await page.getByRole('button', { name: 'Import these people' }).click()
  await page.getByRole('heading', { name: 'What became of fair.csv' }).waitFor()
  await page.getByRole('link', { name: '2 rejected' }).waitFor()
  await page.getByRole('link', { name: 'make a campaign' }).waitFor()
  await page.getByRole('link', { name: '5 created' }).click()
  await page.getByText('5 people fit this filter.').waitFor()
})

test('a sequence of two steps is written, with fields that the preview fills in', async () => {
  await page.getByRole('navigation').first().getByRole('link', { name: 'Sequences' }).click()
  await page.getByRole('button', { name: 'New sequence' }).click()
  await page.getByLabel('Name of the sequence').fill('After the fair')
  await page.getByRole('textbox', { name: 'Subject of step 1' }).click()
  await page.keyboard.type('Your stand, {{firstName}}')
  await page.getByRole('textbox', { name: 'Text of step 1', exact: true }).click()
  await page.keyboard.type('A word about {{company}}.')
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByRole('textbox', { name: 'Text of step 2', exact: true }).click()
  await page.keyboard.type('Have you thought about it?')
  await page.getByText(/^Saved/).waitFor()
})

test('a campaign is made and launched; who lacks a field is told before, and nothing goes out by itself', async () => {
  await page.getByRole('navigation').first().getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Make a campaign' }).click()
  await dialog('New campaign').getByLabel('Name').fill('Spring trade fair')
  await dialog('New campaign').getByLabel('Sequence').click()
  await page.getByRole('option', { name: 'After the fair (2 steps)' }).click()
  await page.getByRole('button', { name: 'Make the draft' }).click()
  await page.getByLabel('Add people').click()
  await page.getByRole('option', { name: 'Everybody in the workspace' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('link', { name: '4 will get it' }).waitFor()
  await page.getByRole('link', { name: '1 lacks a field' }).waitFor()
  await page.getByText('8 emails').first().waitFor()
  await page.getByRole('button', { name: 'Launch…' }).click()
  await dialog('Launch Spring trade fair?').getByText('8 emails').waitFor()
  await dialog('Launch Spring trade fair?').getByRole('button', { name: 'Launch now' }).click()
  await page.getByText('Spring trade fair is running.').waitFor()
  expect(await sentInAll()).toBe(0)
})

test('one watches it send, pauses it under way, and nothing more goes out until it is resumed', async () => {
  const tick = callCron(app)
  await emails('Sent', /^[1-3]$/).waitFor()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByText('Spring trade fair is paused.').waitFor()
  const sent = await sentInAll()
  expect(sent).toBeGreaterThanOrEqual(1)
  expect(sent).toBeLessThan(4)
  expect(await tick).toMatchObject({ failed: 0, unknown: 0 })
  // What was on its way at the pause may still have arrived; nothing after it.
  const afterwards = await sentInAll()
  expect(afterwards).toBeLessThanOrEqual(sent + 1)
  expect(await callCron(app)).toMatchObject({ sent: 0 })
  expect(await sentInAll()).toBe(afterwards)
  await page.getByRole('button', { name: 'Why is nothing going out?' }).click()
  await page.getByText('paused').first().waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('button', { name: 'Close', exact: true }).waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByText('Spring trade fair goes on.').waitFor()
  await callCron(app)
  await emails('Sent', 4).waitFor()
  for (const email of READERS) expect(await mailCount(app, email)).toBe(1)
})

test('who lacked a field is filled in where it was missed, and gets the email as well', async () => {
  await tab('People').click()
  await row('xia@example.test').getByRole('button', { name: 'Fill it in' }).click()
  await row('xia@example.test')
    .getByRole('button', { name: /Company/ })
    .click()
  await row('xia@example.test').getByRole('textbox').fill('Xia SA')
  await page.keyboard.press('Enter')
  await row('xia@example.test').getByText('Not yet planned').waitFor()
  await callCron(app)
  await row('xia@example.test').getByText('Active').waitFor()
  await expect.poll(() => mailCount(app, 'xia@example.test')).toBe(1)
})

test('a reader finds it in the inbox, leaves by its link, and the follow-up to that reader alone is cancelled', async () => {
  const mail = await mailTo(app, 'zoe@example.test')
  expect(mail.subject).toBe('Your stand, Zoe')
  expect(mail.text).toContain('A word about Zoe & Co.')
  const inbox = await reader.context.newPage()
  await inbox.goto(app.inCatcher(`/m/${mail.id}?tab=html`))
  await inbox.frameLocator('iframe').getByText('A word about Zoe & Co.').waitFor()
  await inbox.goto(/https?:\S+\/u\/[\w-]{66}/.exec(mail.text)?.[0] ?? '')
  await inbox.getByRole('button', { name: 'Unsubscribe' }).click()
  await inbox.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()

  await tab('Emails').click()
  await row('zoe@example.test').filter({ hasText: 'Cancelled' }).waitFor()
  await travel('2 days')
  await callCron(app)
  await travel('2 days')
  await callCron(app)
  for (const email of READERS)
    expect([email, await mailCount(app, email)]).toEqual([email, email.startsWith('zoe') ? 1 : 2])
  await tab('Overview').click()
  await emails('Sent', 9).waitFor()
  await emails('Cancelled', 1).waitFor()
  await page.getByText('It is over: 9 emails were sent, 1 was cancelled.').waitFor()
})

test('another is scheduled for later, starts by itself at its time, and the page shows it without being asked', async () => {
  const { sequences } = await olga.ask<{ sequences: { id: string }[] }>('GET', '/api/sequences')
  expect(sequences).toHaveLength(1)
  const steps = [{ subject: 'Summer', bodyText: 'It is warm.' }]
  await olga.ask('POST', '/api/sequences', { name: 'Summer greetings', steps })
  await page.getByRole('navigation').first().getByRole('link', { name: 'Campaigns' }).click()
  await page.getByRole('button', { name: 'New campaign…' }).click()
  await dialog('New campaign').getByLabel('Name').fill('Summer')
  await dialog('New campaign').getByLabel('Sequence').click()
  await page.getByRole('option', { name: 'Summer greetings' }).click()
  await page.getByRole('button', { name: 'Make the draft' }).click()
  await page.getByLabel('Add people').click()
  await page.getByRole('option', { name: 'Everybody in the workspace' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('4 emails').first().waitFor()
  await page.getByRole('button', { name: 'Launch…' }).click()
  const launch = dialog('Launch Summer?')
  await launch.getByLabel('When').click()
  await page.getByRole('option', { name: 'At a time…' }).click()
  const { now } = await olga.ask<{ now: string }>('GET', '/api/overview')
  const start = new Date(Date.parse(now) + 2 * 3_600_000)
  const berlin = start.toLocaleString('sv', { timeZone: 'Europe/Berlin' }).replace(' ', 'T').slice(0, 16)
  await launch.getByLabel('Starts at, by the clock in Europe/Berlin').fill(berlin)
  await launch.getByRole('button', { name: 'Schedule the launch' }).click()
  await page.getByText('Starts by itself on').waitFor()
  const before = await sentInAll()
  await callCron(app)
  expect(await sentInAll()).toBe(before)
  await travel('2 hours')
  const tick = callCron(app)
  await page.getByText('Launched on').waitFor()
  await emails('Sent', /^[1-4]$/).waitFor()
  expect(await tick).toMatchObject({ failed: 0, unknown: 0 })
  expect(await sentInAll()).toBe(before + 3)
})

test('two owners on one campaign see what the other does, and at the same moment one wish wins', async () => {
  await olga.ask('POST', '/api/invitations', { email: 'otto@example.com', role: 'owner' })
  await otto.join(await linkMailedTo(app, 'otto@example.com'), 'Otto Owner')
  const steps = [{ subject: 'Autumn', bodyText: 'It is cold.' }]
  const { id: sequenceId } = await olga.ask<{ id: string }>('POST', '/api/sequences', { name: 'Autumn', steps })
  const { id } = await olga.ask<{ id: string }>('POST', '/api/campaigns', { name: 'Autumn', sequenceId })
  await olga.ask('POST', `/api/campaigns/${id}/prospects`, { all: true })
  await olga.ask('POST', `/api/campaigns/${id}/launch`)
  await page.goto(`/campaigns/${id}`)
  const his = await otto.open(`/campaigns/${id}`)

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await his.getByRole('button', { name: 'Resume', exact: true }).waitFor()
  await his.getByRole('link', { name: 'Settings' }).last().click()
  await his.getByRole('button', { name: /Name/ }).click()
  await his.getByRole('textbox').fill('Late autumn')
  await his.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Late autumn' }).waitFor()

  await his.getByRole('link', { name: 'Overview' }).last().click()
  for (const guest of [olga, otto]) guest.expectedStatus.add(409)
  // One stops it for good while the other resumes it: whichever comes first, it ends stopped, and both see so.
  await page.getByRole('button', { name: 'Stop…' }).click()
  await Promise.all([
    page.getByRole('button', { name: 'Stop for good' }).click(),
    his.getByRole('button', { name: 'Resume', exact: true }).click(),
  ])
  for (const one of [page, his]) {
    await one.getByRole('main').getByText('Stopped', { exact: true }).first().waitFor()
    await emails('Cancelled', 4, one).waitFor()
    expect(await one.getByRole('button', { name: 'Resume', exact: true }).count()).toBe(0)
  }
  await callCron(app)
  expect((await mailTo(app, 'vera@example.test')).subject).not.toBe('Autumn')
  await his.getByRole('link', { name: 'Activity' }).click()
  await his.getByText('olga@example.com').first().waitFor()
  await his.getByText('otto@example.com').first().waitFor()
})

test('nothing complained in any of the browsers all along', () => {
  expect([olga, otto, reader].flatMap(({ complaints }) => complaints)).toEqual([])
})
