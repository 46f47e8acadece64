import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A text that a person writes and a program sends. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page
let key = ''

type Template = { id: string; version: number; name: string; subject: string; bodyHtml: string }

const box = (name: string) => page.getByRole('textbox', { name, exact: true })
const idOfPage = () => page.url().match(/templates\/([0-9a-f-]{36})/)?.[1] ?? ''
const read = () => olga.ask<Template>('GET', `/api/templates/${idOfPage()}`)

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await setUpSending(app, olga)
  key = (await olga.ask<{ key: string }>('POST', '/api/api-keys', { name: 'Shop', scopes: ['send'] })).key
  page = await olga.open('/settings/templates')
})
afterEach(() => expect(olga.complaints.splice(0)).toEqual([]))
afterAll(() => olga.leave())

async function send(template: object) {
  const response = await fetch(`${app.url}/api/emails`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ to: 'zoe@example.com', template }),
  })
  return { status: response.status, answer: await response.json() }
}

test('a template is named, written with fields, tried out and saved, and a program sends it by its name', async () => {
  await page.getByRole('heading', { name: 'No template yet' }).waitFor()
  await page.getByRole('button', { name: 'New template…' }).click()
  await page.getByLabel('Name').fill('Table booked')
  await page.getByRole('button', { name: 'Write it' }).click()
  await page.waitForURL('/settings/templates/*')
  await box('Subject of the template').click()
  await page.keyboard.type('Your table on {{custom.day}}')
  await box('Text of the template').click()
  await page.keyboard.type('Dear {{firstName}}, see you on {{custom.day}}.')
  const mail = page.frameLocator('iframe[title="The mail"]')
  await mail.getByText('see you on [day].').waitFor()
  await page.getByLabel('day', { exact: true }).fill('Friday')
  await mail.getByText('see you on Friday.').waitFor()
  expect((await read()).subject).toBe('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(/^Saved/).waitFor()
  expect((await read()).subject).toBe('Your table on {{custom.day}}')

  expect(await send({ name: 'Table booked', fields: { firstName: 'Zoë' } })).toMatchObject({
    status: 400,
    answer: { error: { code: 'missing-fields', message: expect.stringContaining('custom.day') } },
  })
  const sent = await send({ name: 'Table booked', fields: { firstName: 'Zoë', 'custom.day': 'Sunday' } })
  expect(sent).toMatchObject({ status: 201, answer: { data: { result: 'sent', subject: 'Your table on Sunday' } } })
})

test('what another has saved is not overwritten in silence, and nothing typed is lost by a reload', async () => {
  await box('Subject of the template').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' at noon')
  await page.getByText('Not saved; kept in this browser').waitFor()
  const { version } = await read()
  await olga.ask('PATCH', `/api/templates/${idOfPage()}`, { subject: 'Another subject' })
  await page.getByText('This template was saved elsewhere while you were writing').waitFor()
  await page.getByText('“Another subject”').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(/^Saved/).waitFor()
  const { subject, version: now } = await read()
  expect([subject, now]).toEqual(['Your table on {{custom.day}} at noon', version + 2])
})

test('it is archived with an undo, and a call that names it is refused until it is back', async () => {
  await page.goto('/settings/templates')
  await page.getByRole('button', { name: 'Actions for Table booked' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByText('“Table booked” is archived.').waitFor()
  expect(await send({ name: 'Table booked' })).toMatchObject({
    status: 400,
    answer: { error: { code: 'unknown-template' } },
  })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('“Table booked” is back in the list.').waitFor()
  await page.getByRole('link', { name: 'Table booked' }).waitFor()
})
