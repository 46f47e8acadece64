import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, pressPageKey } from '#tests/support/browser/guest.ts'
import { setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/** Sequences written by mouse and by keyboard, changed after a launch, and written by two people at once. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let adam: Guest
let page: Page

type Step = { stepNumber: number; delayDays: number; subject: string; bodyText: string; bodyHtml: string }
type Sequence = { id: string; name: string; version: number; steps: Step[] }

const sequences = async (who = olga) =>
  (await who.ask<{ sequences: { id: string; name: string }[] }>('GET', '/api/sequences')).sequences
const read = (id: string) => olga.ask<Sequence>('GET', `/api/sequences/${id}`)
const idOfPage = () => page.url().match(/sequences\/([0-9a-f-]{36})/)?.[1] ?? ''
const box = (name: string) => page.getByRole('textbox', { name, exact: true })
const saved = () => page.getByText(/^Saved/).waitFor()
const make = (name: string, steps: object[]) => olga.ask<Sequence>('POST', '/api/sequences', { name, steps })

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await setUpSending(app, olga)
  adam = await Guest.enter(app, chromium.browser)
  await olga.ask('POST', '/api/invitations', { email: 'adam@example.com', role: 'member' })
  await adam.join(await linkMailedTo(app, 'adam@example.com'), 'Adam')
  for (const [email, company] of [
    ['ada@example.com', 'Acme'],
    ['bo@example.com', ''],
  ]) {
    await olga.ask('POST', '/api/prospects', { email, firstName: email?.split('@')[0], company })
  }
  page = await olga.open('/sequences')
})
afterEach(() => expect(olga.complaints.splice(0)).toEqual([]))
afterAll(async () => {
  await olga.leave()
  await adam.leave()
})

describe('a sequence of three steps', () => {
  test('is written by mouse, with fields, links and a preview of a real person, and saves itself', async () => {
    await page.getByRole('heading', { name: 'No sequence yet' }).waitFor()
    await page.getByRole('button', { name: 'New sequence' }).click()
    await page.waitForURL('/sequences/*')
    await page.getByLabel('Name of the sequence').fill('Trade fair')
    await box('Subject of step 1').click()
    await page.keyboard.type('Your stand, ')
    await page
      .getByRole('toolbar', { name: 'Tools for: Subject of step 1' })
      .getByRole('button', { name: 'Insert field' })
      .click()
    await page.getByRole('menuitem', { name: 'First name' }).click()
    await box('Subject of step 1').getByText('First name').waitFor()

    await box('Text of step 1').click()
    await page.keyboard.type('Dear {{firstName}} of {{company}}, see ')
    const tools = page.getByRole('toolbar', { name: 'Tools for: Text of step 1' })
    await tools.getByRole('button', { name: 'Button', exact: true }).click()
    await page.getByLabel('Address', { exact: true }).fill('nowhere')
    await page.getByLabel('Words on it').fill('Choose a time')
    await page.getByRole('button', { name: 'Insert', exact: true }).click()
    await page.getByText('Write an address that begins with https://').waitFor()
    await page.getByLabel('Address', { exact: true }).fill('https://acme.example/meet')
    await page.getByRole('button', { name: 'Insert', exact: true }).click()
    await page.getByText('1 of 2 people has no company').waitFor()

    const mail = page.frameLocator('iframe[title="The mail"]')
    // The newest person is shown first, and has no company.
    await page.getByText('They would not get it like this').waitFor()
    await page.getByLabel('Preview for').click()
    await page.getByRole('option', { name: /^ada/ }).click()
    await mail.getByText('Dear ada of Acme').waitFor()
    await mail.getByText('Choose a time').waitFor()

    for (const [number, text] of [
      [2, 'Did you see it?'],
      [3, 'Last note.'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a step' }).click()
      await box(`Text of step ${number}`).click()
      await page.keyboard.type(text)
    }
    await page.getByText('Empty: it answers in the thread of “Your stand, First name”.').first().waitFor()
    await page.getByLabel('Before step 3, wait').fill('5')
    await saved()
    const { name, steps } = await read(idOfPage())
    expect(name).toBe('Trade fair')
    expect(steps.map(({ subject, delayDays }) => [subject, delayDays])).toEqual([
      ['Your stand, {{firstName}}', 0],
      ['', 3],
      ['', 5],
    ])
    expect(steps[0]?.bodyHtml).toMatch(
      /^<p>Dear {{firstName}} of {{company}}, see <a class="button" href="https:\/\/acme\.example\/meet" style="[^"]+">Choose a time<\/a><\/p>$/,
    )
    expect(steps[2]?.bodyHtml).toBe('<p>Last note.</p>')
  })

  test('is written by keyboard alone, and a chip gets its fallback', async () => {
    await page.goto('/sequences')
    await page.getByRole('link', { name: 'Trade fair' }).waitFor()
    await pressPageKey(page, 'n')
    await page.waitForURL('/sequences/*')
    await page.getByLabel('Name of the sequence').waitFor()
    await box('Text of step 1').waitFor()
    const tabTo = async (name: string) => {
      const named = () =>
        page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent)
      for (let tabs = 0; tabs < 60 && (await named()) !== name; tabs += 1) await page.keyboard.press('Tab')
      expect(await named()).toBe(name)
    }
    await tabTo('Name of the sequence')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('By keys')
    await tabTo('Subject of step 1')
    await page.keyboard.type('Hello {{firstName}}')
    await page.keyboard.press('ArrowLeft')
    await page.getByLabel('Fallback').waitFor()
    await tabTo('')
    await page.keyboard.type('there')
    await page.keyboard.press('Enter')
    await box('Subject of step 1').getByText('First name | there').waitFor()
    await tabTo('Text of step 1')
    await page.keyboard.type('One ')
    await page.keyboard.press('Control+b')
    await page.keyboard.type('bold')
    for (const number of [2, 3]) {
      await tabTo('Add a step')
      await page.keyboard.press('Enter')
      await box(`Text of step ${number}`).waitFor()
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      await tabTo(`Text of step ${number}`)
      await page.keyboard.type(`Text ${number}`)
    }
    await saved()
    const { name, steps } = await read(idOfPage())
    expect(name).toBe('By keys')
    expect(steps.map(({ subject, bodyHtml }) => [subject, bodyHtml])).toEqual([
      ['Hello {{firstName | "there"}}', '<p>One <strong>bold</strong></p>'],
      ['', '<p>Text 2</p>'],
      ['', '<p>Text 3</p>'],
    ])
  })

  test('loses nothing in another form without a question, and the undo brings it back', async () => {
    const { id } = await make('Forms', [{ subject: 'Hello', bodyHtml: '<p>Dear <strong>you</strong></p>' }])
    await page.goto(`/sequences/${id}`)
    const form = page.getByRole('combobox', { name: 'Form of the text of step 1' })
    const choose = async (name: string) => {
      await form.click()
      await page.getByRole('option', { name }).click()
    }
    await box('Text of step 1').waitFor()
    await choose('Plain text')
    const dialog = page.getByRole('dialog', { name: 'Change to plain text?' })
    await dialog.getByText('It would lose its looks.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await box('Text of step 1').locator('strong').waitFor()
    await choose('Plain text')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('Step 1 is plain text now.').waitFor()
    await expect.poll(() => box('Text of step 1').locator('strong').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await box('Text of step 1').locator('strong').waitFor()
    await choose('HTML')
    expect(await box('Text of step 1').inputValue()).toBe('<p>Dear <strong>you</strong></p>')
  })
})

describe('the list', () => {
  test('archives with an undo, and duplicates', async () => {
    await page.goto('/sequences')
    await page.getByRole('button', { name: 'Actions for Forms' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    const link = page.getByRole('link', { name: 'Forms', exact: true })
    await link.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await link.waitFor()
    await page.getByRole('button', { name: 'Actions for Forms' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('link', { name: 'Forms (copy)' }).waitFor()
    expect((await sequences()).map(({ name }) => name)).toContain('Forms (copy)')
  })
})

describe('when the server is lost', () => {
  test('what is typed is said to be unsaved, survives a reload, and is saved as soon as the server is back', async () => {
    const { id } = await make('Lost', [{ subject: 'Hello', bodyText: 'One.' }])
    await page.goto(`/sequences/${id}`)
    await box('Text of step 1').waitFor()
    await page.route(`**/api/sequences/${id}`, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await box('Text of step 1').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' Two.')
    await page.getByText('Not saved. The server could not be reached.').waitFor()
    await page.evaluate(() =>
      window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true),
    )
    await page.reload()
    await box('Text of step 1').getByText('One. Two.').waitFor()
    expect((await read(id)).steps[0]?.bodyText).toBe('One.')
    await page.unroute(`**/api/sequences/${id}`)
    await saved()
    expect((await read(id)).steps[0]?.bodyText).toBe('One. Two.')
    olga.complaints.splice(0)
  })
})

describe('two people write one sequence', () => {
  test('what the other saves appears by itself where nothing was typed', async () => {
    const made = await make('Shared', [{ subject: 'Hello', bodyText: 'Ours.' }])
    await page.goto(`/sequences/${made.id}`)
    await box('Text of step 1').getByText('Ours.').waitFor()
    await adam.ask('PATCH', `/api/sequences/${made.id}`, { steps: [{ subject: 'Hello', bodyText: 'Adam’s.' }] })
    await box('Text of step 1').getByText('Adam’s.').waitFor()
  })

  test('and waits beside what was typed: nothing is overwritten before a person decides', async () => {
    const id = idOfPage()
    olga.expectedStatus.add(412)
    await page.route(`**/api/sequences/${id}`, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await box('Text of step 1').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' Olga’s.')
    await page.getByText('Not saved. The server could not be reached.').waitFor()
    await adam.ask('PATCH', `/api/sequences/${id}`, { steps: [{ subject: 'Adam’s subject', bodyText: 'Adam’s.' }] })
    const notice = page.getByText('adam@example.com saved this sequence while you were writing')
    await notice.waitFor()
    await page.unroute(`**/api/sequences/${id}`)
    expect((await read(id)).steps[0]?.subject).toBe('Adam’s subject')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await notice.waitFor({ state: 'hidden' })
    await saved()
    expect((await read(id)).steps[0]).toMatchObject({ subject: 'Hello', bodyText: 'Adam’s. Olga’s.' })
    olga.complaints.splice(0)
  })

  test('the other’s version is in the history, and can be brought back', async () => {
    const id = idOfPage()
    await page.getByRole('button', { name: 'History' }).click()
    const dialog = page.getByRole('dialog', { name: 'History' })
    const adams = dialog.getByRole('listitem').filter({ hasText: 'the subject of step 1' }).filter({ hasText: 'adam@' })
    await adams.getByRole('button', { name: /^Look/ }).first().click()
    await dialog.getByRole('button', { name: 'Bring this version back' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await box('Subject of step 1').getByText('Adam’s subject').waitFor()
    await expect.poll(async () => (await read(id)).steps[0]?.subject).toBe('Adam’s subject')
  })
})

describe('a launched sequence', () => {
  test('says what an edit changes before it is saved, shows one email before and after, and asks before it is left', async () => {
    const { id } = await make('Launched', [
      { subject: 'Hello', bodyText: 'Dear {{firstName}}.' },
      { delayDays: 2, bodyText: 'Again.' },
    ])
    const campaign = await olga.ask<{ id: string }>('POST', '/api/campaigns', { name: 'Spring', sequenceId: id })
    await olga.ask('POST', `/api/campaigns/${campaign.id}/prospects`, { all: true })
    await olga.ask('POST', `/api/campaigns/${campaign.id}/launch`)
    await page.goto(`/sequences/${id}`)
    await page.getByText('This sequence has been launched.').waitFor()
    await box('Text of step 2').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' And again.')
    await page.getByText('Not saved; kept in this browser').waitFor()
    expect((await read(id)).steps[1]?.bodyText).toBe('Again.')

    await page.getByRole('link', { name: 'Suppressions' }).click()
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
    await leaving.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('/suppressions')
    await page.goBack()
    await box('Text of step 2').getByText('Again. And again.').waitFor()

    await page.getByRole('button', { name: 'Save…' }).click()
    const dialog = page.getByRole('dialog', { name: 'What this changes' })
    await dialog.getByText('2 emails that wait change, 0 that were sent stay as they are.').waitFor()
    await dialog
      .getByRole('region', { name: 'Before' })
      .getByText(/^Again\.\n/)
      .waitFor()
    await dialog.getByRole('region', { name: 'After' }).getByText('Again. And again.').waitFor()
    await dialog.getByRole('button', { name: 'Save the sequence' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await saved()
    expect((await read(id)).steps[1]?.bodyText).toBe('Again. And again.')
  })

  test('refuses a text that cannot be sent, with the reason, and keeps what was typed', async () => {
    olga.expectedStatus.add(409)
    await box('Text of step 2').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' {{nick}}')
    await page.getByText('There is no field nick.').waitFor()
    await page.getByRole('button', { name: 'Save…' }).click()
    const dialog = page.getByRole('dialog', { name: 'What this changes' })
    await dialog.getByText('mend the texts first').waitFor()
    await dialog.getByRole('button', { name: 'Go on writing' }).click()
    await box('Text of step 2').getByText('{{nick}}').waitFor()
    await page.getByRole('button', { name: 'Throw my changes away' }).click()
    await box('Text of step 2').getByText('{{nick}}').waitFor({ state: 'hidden' })
  })
})

test('a test of a step goes to the person who asks for it', async () => {
  await page.getByRole('button', { name: 'Send a test…' }).click()
  await page.getByRole('button', { name: 'Send the test' }).click()
  await page.getByText(/^“\[Test\] Hello” is on its way to olga@example\.com\./).waitFor()
  expect(olga.complaints).toEqual([])
})
