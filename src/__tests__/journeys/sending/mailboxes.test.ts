import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, mailTo, pressPageKey } from '#tests/support/browser/guest.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import { type ScriptedPeer, startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { testApp } from '#tests/support/server/app.ts'

/** Mailboxes from nothing to removed, with every way in which a server lets people down. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page
let peer: ScriptedPeer
let stranger: ScriptedPeer

const row = (name: string) => page.getByRole('row', { name })
const dialog = (name: string) => page.getByRole('dialog', { name })
const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
const focused = (attribute: string) => page.evaluate((name) => document.activeElement?.getAttribute(name), attribute)
const menu = async (address: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${address}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

beforeAll(async () => {
  peer = await startScriptedSmtp({ script: { auth: [{ reply: '535 5.7.8 Authentication failed' }] } })
  const { cert, key } = makeCertificate({ name: 'other.test', hosts: ['other.test'] })
  stranger = await startScriptedSmtp({ offers: ['STARTTLS', 'AUTH PLAIN'], tls: { cert, key } })
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  page = await olga.open('/mailboxes')
})
afterAll(async () => {
  await olga.leave()
  await peer.close()
  await stranger.close()
})

async function fill(values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value)
}

describe('mailboxes', () => {
  test('the first one is added by keyboard alone; a wrong password is told at its step, and nothing typed is lost', async () => {
    await page.getByRole('heading', { name: 'There is no mailbox yet' }).waitFor()
    await pressPageKey(page, 'n')
    await dialog('Add a mailbox').waitFor()
    await page.waitForURL('/mailboxes?do=add')
    await expect.poll(() => focused('value')).toBe('google')
    // The services are a group of radio buttons; the last one is one step back from the first.
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => focused('value')).toBe('other')
    await dialog('Add a mailbox').getByLabel('Port').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('sales@acme.test')
    await page.keyboard.press('Tab')
    await page.keyboard.type('127.0.0.1')
    await page.keyboard.press('Tab')
    await page.keyboard.type(String(peer.port))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    // The list takes the focus once it stands; a key that comes before belongs to the button.
    await expect.poll(() => focused('role')).toBe('option')
    await page.keyboard.press('End')
    await page.getByRole('option', { name: 'None' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => focused('role')).toBe('combobox')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect.poll(() => focused('name')).toBe('password')
    await page.keyboard.type('a wrong one')
    await page.keyboard.press('Enter')
    await step('Log in').getByText('refused the user name or password').waitFor()
    await step('Log in').getByText('5.7.8 Authentication failed').waitFor()
    await step('Connect').getByText('done').waitFor()
    await step('Hand over a message').getByText('not yet').waitFor()
    expect(await page.getByLabel('User name').inputValue()).toBe('sales@acme.test')
  })

  test('a server that is down, and a certificate for another name, are told at theirs', async () => {
    await fill({ Port: '9' })
    await page.keyboard.press('Enter')
    await step('Connect').getByText('refuses connections on port 9').waitFor()
    await fill({ Port: String(stranger.port) })
    await page.getByLabel('Encryption').click()
    await page.getByRole('option', { name: 'STARTTLS' }).click()
    await page.getByRole('button', { name: 'Test again and add' }).click()
    await step('Encrypt').getByText('certificate').first().waitFor()
    await step('Connect').getByText('done').waitFor()
  })

  test('mended, it is connected, and a message shows that it can send', async () => {
    await fill({ Port: String(peer.port), Password: 'the right one' })
    await page.getByLabel('Encryption').click()
    await page.getByRole('option', { name: 'None' }).click()
    await page.getByRole('button', { name: 'Test again and add' }).click()
    await dialog('Add a mailbox').waitFor({ state: 'hidden' })
    await row('sales@acme.test').getByText('Connected').waitFor()
    await row('sales@acme.test').getByText('0 of 50 sent').waitFor()
    expect(peer.accepted.map(({ from, to }) => [from, to])).toEqual([['sales@acme.test', ['olga@example.com']]])
    expect(olga.complaints).toEqual([])
  })

  test('one that cannot be tested now is kept, stopped, and says so', async () => {
    await page.getByRole('button', { name: 'Add a mailbox' }).click()
    await page.getByText('Another server').click()
    await fill({ Address: 'late@acme.test', Server: '127.0.0.1', Port: '9', Password: 'x' })
    await page.getByRole('button', { name: 'Test and add' }).click()
    await step('Connect').getByText('failed').waitFor()
    await page.getByRole('button', { name: 'Keep it untested' }).click()
    await row('late@acme.test').getByText('It has not been tested yet.').waitFor()
    await row('late@acme.test').getByText('Stopped').waitFor()
  })

  test('a relay that wants no login is added by leaving the password empty', async () => {
    const relay = await startScriptedSmtp({ offers: [] })
    await page.getByRole('button', { name: 'Add a mailbox' }).click()
    await page.getByText('Another server').click()
    await fill({ Address: 'relay@acme.test', Server: '127.0.0.1', Port: String(relay.port) })
    await page.getByLabel('Encryption').click()
    await page.getByRole('option', { name: 'None' }).click()
    await page.getByLabel('User name').fill('relay')
    await page.getByRole('button', { name: 'Test and add' }).click()
    await step('Log in').getByText('There is no password for this user name.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Add a mailbox' }).click()
    await page.getByText('Another server').click()
    await fill({ Address: 'relay@acme.test', Server: '127.0.0.1', Port: String(relay.port) })
    await page.getByLabel('Encryption').click()
    await page.getByRole('option', { name: 'None' }).click()
    await page.getByRole('button', { name: 'Test and add' }).click()
    await row('relay@acme.test').getByText('Connected').waitFor()
    expect(relay.accepted.map(({ from, to }) => [from, to])).toEqual([['relay@acme.test', ['olga@example.com']]])
    await relay.close()
  })

  test('a pause is done at once and taken back by the undo', async () => {
    await menu('sales@acme.test', 'Pause')
    await row('sales@acme.test').getByText('A person paused it.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('sales@acme.test sends again.').waitFor()
    await row('sales@acme.test').getByText('Connected').waitFor()
  })

  test('a limit is changed and put back', async () => {
    await menu('sales@acme.test', 'Edit')
    await fill({ 'Emails a day': '0' })
    olga.expectedStatus.add(400)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The daily limit is a whole number from 1').waitFor()
    await fill({ 'Emails a day': '30', 'From name': 'Sales of Acme' })
    await page.getByRole('button', { name: 'Save' }).click()
    await row('sales@acme.test').getByText('0 of 30 sent').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await row('sales@acme.test').getByText('0 of 50 sent').waitFor()
  })

  test('a stopped one tells the provider’s own words, and is reconnected with a link that can be sent', async () => {
    await app.sql(
      `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'The password was refused. It said: “535 5.7.8 No”' WHERE address = 'sales@acme.test'`,
    )
    await row('sales@acme.test').getByText('535 5.7.8 No').waitFor()
    await row('sales@acme.test').getByRole('button', { name: 'Reconnect' }).click()
    await dialog('Test sales@acme.test').getByText('is connected and sends as its limits allow.').waitFor()
    const address = page.url()
    await page.keyboard.press('Escape')
    await row('sales@acme.test').getByText('Connected').waitFor()
    await page.goto(address)
    await dialog('Test sales@acme.test').getByText('is connected').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('/mailboxes')
  })

  test('it is removed, once what waits for it is told', async () => {
    await menu('late@acme.test', 'Remove')
    const asking = dialog('Remove late@acme.test?')
    await asking.getByText('Nothing waits for it.').waitFor()
    await asking.getByRole('button', { name: 'Remove the mailbox' }).click()
    await row('late@acme.test').waitFor({ state: 'hidden' })
    await row('sales@acme.test').waitFor()
  })

  test('a member sees them and why nothing can be changed', async () => {
    await olga.ask('POST', '/api/invitations', { email: 'mia@example.com', role: 'member' })
    const mia = await Guest.enter(app, chromium.browser)
    const mail = await mailTo(app, 'mia@example.com')
    await mia.join(/https?:\S+#token=[\w-]+/.exec(mail.text)?.[0] ?? '', 'Mia')
    const hers = await mia.open('/mailboxes?do=add')
    await hers.getByText('Admins and owners change them.').waitFor()
    await hers.getByRole('row', { name: 'sales@acme.test' }).waitFor()
    expect(await hers.getByRole('button', { name: /Add a mailbox|Actions for/ }).count()).toBe(0)
    expect(await hers.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => mia.complaints).toEqual([])
    await mia.leave()
  })
})
