import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, pressPageKey, untilInMenu, untilListening } from '#tests/support/browser/guest.ts'
import { callCron, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { type ScriptedPeer, startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { testApp } from '#tests/support/server/app.ts'

/** Emails that a server refused, or took without an answer, and the people who decide about them. */
const app = testApp()
const chromium = testBrowser()
const PEOPLE = 56
let peer: ScriptedPeer
let olga: Guest
let mia: Guest
let adam: Guest
let page: Page

const QUEUE = '/admin/email-queue'
const REFUSES = { dot: { reply: '554 5.6.0 This message is not wanted here' } } as const
const BREAKS = { dot: { reply: '', ending: 'close' } } as const

const panel = (of = page) => of.getByRole('region', { name: 'The email' })

const tab = (name: RegExp, of = page) =>
  of.getByRole('navigation', { name: 'Parts of the queue' }).getByRole('link', { name })
const button = (name: string, of = page) => of.getByRole('button', { name, exact: true })

beforeAll(async () => {
  peer = await startScriptedSmtp({})
  olga = await Guest.enter(app, chromium.browser)
  adam = await Guest.enter(app, chromium.browser)
  mia = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await setUpSending({ ...app, smtpPort: peer.port }, olga)
  const { mailboxes } = await olga.ask<{ mailboxes: { id: string }[] }>('GET', '/api/mailboxes')
  await olga.ask('PATCH', `/api/mailboxes/${mailboxes[0]?.id}`, { dailyLimit: 500 })
  for (const [guest, name, role] of [
    [adam, 'Adam Admin', 'admin'],
    [mia, 'Mia Member', 'member'],
  ] as const) {
    const email = `${role}@example.com`
    await olga.ask('POST', '/api/invitations', { email, role })
    await guest.join(await linkMailedTo(app, email), name)
  }
  for (let n = 1; n <= PEOPLE; n += 1)
    await olga.ask('POST', '/api/prospects', { email: `person${n}@example.com`, firstName: `Person ${n}` })
  peer.setScript(REFUSES)
  await launchToAll(olga, [{ subject: 'Your stand, {{firstName}}', bodyText: 'A word.' }])
  await callCron(app)
  page = await olga.open(QUEUE)
})
afterAll(async () => {
  for (const guest of [olga, adam, mia]) await guest?.leave()
  await peer?.close()
})

/** The search waits for a pause in typing. */
async function find(words: string): Promise<void> {
  await page.getByRole('searchbox').fill(words)
  await page.waitForURL((url) => url.searchParams.get('q') === words)
}

describe('the email queue', () => {
  test('a failed email is found, its reason read, and once the server takes it, its retry is seen to be sent', async () => {
    await tab(new RegExp(`^Needs a decision ${PEOPLE}$`)).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByText(String(PEOPLE)).waitFor()
    await find('person7@example.com')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    // A key that is typed is text.
    await page.getByRole('searchbox').blur()
    await pressPageKey(page, 'j')
    await page.keyboard.press('Enter')
    await panel().getByRole('heading', { name: 'person7@example.com' }).waitFor()
    expect(new URL(page.url()).searchParams.get('email')).toMatch(/^[0-9a-f-]{36}$/)
    const title = await page.getByRole('heading', { level: 1, name: 'Email queue' }).boundingBox()
    expect(title?.y).toBeGreaterThan(0)
    await panel().getByText('refused the message').first().waitFor()
    await panel().getByText('Your stand, Person 7').first().waitFor()
    await panel().getByText('Technical details').click()
    await panel().getByText('554 5.6.0 This message is not wanted here').waitFor()
    await panel().getByText('The campaign was running').waitFor()

    peer.setScript({})
    await panel().getByRole('button', { name: 'Retry' }).click()
    await panel().getByText('Waiting to retry').first().waitFor()
    await callCron(app)
    await panel().getByText('The provider accepted it.').first().waitFor()
    await panel().getByText('olga@example.com retried it').waitFor()
    expect(peer.accepted).toHaveLength(1)
    await tab(/^Needs a decision 0$/).waitFor()
  })

  test('an unknown outcome is settled in each way; sending again asks for a tick', async () => {
    peer.setScript(BREAKS)
    const { emails } = await olga.ask<{ emails: { id: string }[] }>('GET', '/api/admin/outbox?part=decide&limit=4')
    for (const { id } of emails) await olga.ask('POST', `/api/admin/outbox/${id}/retry`)
    await callCron(app)
    // For longer than any attempt lasts.
    await app.sql(
      `UPDATE scheduled_emails SET submit_started_at = submit_started_at - interval '1 hour' WHERE status = 'OUTCOME_UNKNOWN'`,
    )
    peer.setScript({})
    const [first, second, third] = emails.map(({ id }) => id)
    await page.goto(`${QUEUE}?email=${first}`)
    await untilListening(page)
    await panel().getByText('may already have been delivered').first().waitFor()
    await panel().getByRole('button', { name: 'Look for evidence' }).click()
    await page.getByText('cannot be asked').first().waitFor()
    await panel().getByRole('button', { name: 'Assume delivered…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Assume delivered' }).click()
    await panel().getByText('A person took it as delivered.').first().waitFor()

    await page.goto(`${QUEUE}?email=${second}`)
    await untilListening(page)
    await panel().getByRole('button', { name: 'Send again…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send it again?' })
    await dialog.getByText('it may arrive twice').first().waitFor()
    expect(await dialog.getByRole('button', { name: 'Send again' }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await callCron(app)
    await panel().getByText('The provider accepted it.').first().waitFor()

    await page.goto(`${QUEUE}?email=${third}`)
    await untilListening(page)
    await panel().getByRole('button', { name: 'Dismiss…' }).click()
    const asked = page.getByRole('dialog', { name: 'Dismiss it?' })
    await asked.getByText('This cannot be taken back.').waitFor()
    await asked.getByRole('button', { name: 'Dismiss' }).click()
    await panel().getByText('Its outcome was unknown, and a person dismissed it.').first().waitFor()
  })

  test('fifty are dismissed by a filter, with a preview, and taken back', async () => {
    await page.goto(`${QUEUE}?error=MESSAGE_REFUSED`)
    await untilListening(page)
    const failed = PEOPLE - 5
    await tab(new RegExp(`^Needs a decision ${failed}$`)).waitFor()
    await page.getByRole('checkbox', { name: 'Select person' }).first().check()
    await page.getByRole('button', { name: `Select all ${failed} of this filter` }).click()
    await button('Dismiss…').click()
    const dialog = page.getByRole('dialog', { name: 'Dismiss' })
    await dialog.getByText(`It can be done for ${failed} emails.`).waitFor()
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText(`: done for ${failed} emails`).waitFor()
    await tab(/^Needs a decision 0$/).waitFor()
    await tab(new RegExp(`^Cancelled ${failed}$`)).waitFor()
    await button('Undo').click()
    await page.getByText('taken back').waitFor()
    await tab(new RegExp(`^Needs a decision ${failed}$`)).waitFor()
  })

  test('a filter is saved under a name by keyboard alone, opened again, and its removal taken back', async () => {
    await page.goto(`${QUEUE}?error=MESSAGE_REFUSED`)
    await untilListening(page)
    await button('Saved filters').focus()
    await page.keyboard.press('Enter')
    await untilInMenu(page)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Save this filter' })
    await dialog.getByLabel('Name').fill('Refused messages')
    await page.keyboard.press('Enter')
    await page.getByText('The filter “Refused messages” is saved.').waitFor()
    await button('Refused messages').waitFor()

    await page.goto(`${QUEUE}?tab=sent`)
    await untilListening(page)
    await button('Saved filters').click()
    await page.getByRole('menuitem', { name: 'Refused messages' }).click()
    await page.waitForURL((url) => url.searchParams.get('error') === 'MESSAGE_REFUSED')
    expect(new URL(page.url()).searchParams.get('tab')).toBe('decide')
    await tab(new RegExp(`^Needs a decision ${PEOPLE - 5}$`)).waitFor()

    await button('Refused messages').click()
    await page.getByRole('menuitem', { name: 'Remove “Refused messages”' }).click()
    await page.getByText('The filter “Refused messages” is removed.').waitFor()
    await button('Saved filters').waitFor()
    await button('Undo').click()
    await button('Refused messages').waitFor()
  })

  test('each number of the promise’s ledger leads to exactly as many emails', async () => {
    await page.goto('/admin/promise')
    const ledger = page.getByRole('figure', { name: 'Emails of campaigns by state' })
    await ledger.waitFor()
    const doors = await ledger
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => [link.getAttribute('href') ?? '', link.textContent ?? '']))
    expect(doors.length).toBeGreaterThan(2)
    for (const [href = '', count = ''] of doors) {
      await page.goto(href)
      const current = page.getByRole('navigation', { name: 'Parts of the queue' }).locator('[aria-current]')
      await expect.poll(() => current.textContent()).toMatch(new RegExp(` ${count}$`))
    }
  })

  test('and each number of people in campaigns to a list that holds as many', async () => {
    await page.goto('/admin/promise')
    const ledger = page.getByRole('figure', { name: 'People in campaigns by state' })
    await ledger.waitFor()
    const doors = await ledger
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => [link.getAttribute('href') ?? '', link.textContent ?? '']))
    expect(doors.length).toBeGreaterThan(1)
    for (const [href = '', count = ''] of doors) {
      await page.goto(href)
      await expect.poll(() => page.locator('[data-total]').textContent()).toMatch(new RegExp(`^${count} `))
      const state = new URL(page.url()).searchParams.get('state')
      let rows = 0
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query = new URLSearchParams({ limit: '50', ...(state && { state }), ...(cursor && { cursor }) })
        const one: { enrolments: unknown[]; nextCursor: string | null } = await olga.ask(
          'GET',
          `/api/enrolments?${query}`,
        )
        rows += one.enrolments.length
        cursor = one.nextCursor
      }
      expect(rows.toLocaleString('en')).toBe(count)
    }
  })

  test('a member sees everything, acts on nothing, and is told whom to ask', async () => {
    const looking = await mia.open(QUEUE)
    await pressPageKey(looking, 'j')
    await looking.keyboard.press('Enter')
    await panel(looking).getByText('Only admins and owners decide about emails').waitFor()
    await panel(looking).getByText('Olga Owner (olga@example.com)').waitFor()
    expect(await panel(looking).getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await looking.close()
  })

  test('two people at the same email: each sees the other’s act within five seconds, and the later one is told', async () => {
    const { emails } = await olga.ask<{ emails: { id: string; recipient: string }[] }>(
      'GET',
      '/api/admin/outbox?part=decide&errorCode=MESSAGE_REFUSED&limit=1',
    )
    const [email] = emails
    await page.goto(`${QUEUE}?email=${email?.id}`)
    await untilListening(page)
    const other = await adam.open(`${QUEUE}?email=${email?.id}`)
    await panel(other).getByRole('button', { name: 'Dismiss' }).waitFor()
    await panel().getByRole('button', { name: 'Retry' }).waitFor()
    // The page of the other one does not hear of it, so that it still offers what it saw.
    await adam.context.route('**/api/admin/outbox/*', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    await panel().getByRole('button', { name: 'Retry' }).click()
    await panel().getByText('olga@example.com retried it').waitFor()
    adam.expectedStatus.add(409)
    await panel(other).getByRole('button', { name: 'Dismiss' }).click()
    await other.getByText('It is “Waiting to retry” now: olga@example.com retried it.').waitFor()
    await adam.context.unroute('**/api/admin/outbox/*')
    await panel(other).getByText('olga@example.com retried it').waitFor()
    await panel(other).getByRole('button', { name: 'Cancel' }).click()
    await panel().getByText('admin@example.com cancelled it').waitFor()
    await other.close()
  })

  test('j and k go on with an email open, and Escape gives the focus back to its row', async () => {
    await page.goto(QUEUE)
    await untilListening(page)
    await pressPageKey(page, 'j')
    await page.keyboard.press('Enter')
    const first = await panel().getByRole('heading', { level: 2, name: '@' }).textContent()
    await page.keyboard.press('j')
    await expect.poll(() => panel().getByRole('heading', { level: 2 }).textContent()).not.toBe(first)
    await page.keyboard.press('k')
    await expect.poll(() => panel().getByRole('heading', { level: 2 }).textContent()).toBe(first)
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-index'))).toBe('0')
    expect(olga.complaints.filter((line) => !/409/.test(line))).toEqual([])
  })
})
