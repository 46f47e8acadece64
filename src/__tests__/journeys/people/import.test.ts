import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, pressPageKey, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** From a file to its report, with a file that has every fault, and with a reload wherever it hurts. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await olga.ask('POST', '/api/prospects', { email: 'known@example.com', firstName: 'Kate' })
  await olga.ask('POST', '/api/suppressions', { value: 'competitor.example', reason: null })
  const { prospect } = await olga.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    email: 'left@example.com',
  })
  await olga.ask('PATCH', `/api/prospects/${prospect.id}`, { unsubscribed: true })
  page = await olga.open('/prospects/import')
})
afterAll(() => olga.leave())

/** Semicolons, Windows-1252, and a fault on nearly every line. */
const FAULTS = Buffer.from(
  [
    'E-Mail;Vorname;Nachname;Firma;Größe;Seit',
    'müller@example.com;Jürgen;Müller;"Müller; Söhne";1,82;2026-11-18',
    'known@example.com;Katharina;;Acme;;',
    'no address at all;X;Y;Z;;',
    'two@example.com,three@example.com;X;Y;Z;;',
    'MÜLLER@example.com;Again;;;;',
    'spy@competitor.example;Spy;;;;',
    'left@example.com;Left;;;;',
    'stray@example.com;"Stray;;;;',
    'wide@example.com;a;b;c;d;2026-01-01;one too many',
    'formula@example.com;=1+1;;;;',
    'date@example.com;Dan;;;;yesterday',
    '',
    'last@example.com;Last;One;;;',
    '',
  ].join('\r\n'),
  'latin1',
)

const choose = (name: string, buffer: Buffer) =>
  page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'text/csv', buffer })

test('a file that is chosen while the page is only drawn is read once the page listens', async () => {
  const early = await olga.context.newPage()
  const arrive = Promise.withResolvers<void>()
  await early.route('**/_next/static/**/*.js', async (route) => {
    await arrive.promise
    await route.continue()
  })
  await early.goto('/prospects/import', { waitUntil: 'commit' })
  const buffer = Buffer.from('email\nearly@example.com\n')
  await early.getByLabel('Choose a file').setInputFiles({ name: 'early.csv', mimeType: 'text/csv', buffer })
  arrive.resolve()
  await early.getByRole('heading', { name: 'What the columns are' }).waitFor()
  await early.getByRole('button', { name: 'Another file' }).click()
  await early.getByRole('heading', { name: 'Or paste' }).waitFor()
  await early.close()
})

describe('a CSV with every fault', () => {
  test('its first rows are shown at once, with what each column probably is', async () => {
    await choose('Kunden.csv', FAULTS)
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor()
    await page.getByText('The file is not UTF-8; it was read as windows-1252.').waitFor()
    await page.getByText('Jürgen · Katharina · X').waitFor()
    expect(await page.getByLabel('Where E-Mail goes').textContent()).toContain('Address')
    expect(await page.getByLabel('Where Vorname goes').textContent()).toContain('First name')
    await page.getByText('Line 9: A quote opens here and never closes.').waitFor()
    // A line that is too wide is seen as a column more, which is left out.
    expect(await page.getByLabel('Where Column 7 goes').textContent()).toContain('Leave out')
  })

  test('columns are matched by hand, and what was chosen survives a reload', async () => {
    await page.getByLabel('Where Größe goes').click()
    await page.getByRole('option', { name: 'Leave out' }).click()
    await page.getByLabel('Name of the new field for Seit').fill('since')
    await page.getByLabel('What Seit holds').click()
    await page.getByRole('option', { name: 'Date' }).click()
    await page.getByLabel('Where Nachname goes').click()
    await page.getByRole('option', { name: 'First name' }).click()
    await page.getByText('Two columns go to first name. Leave one of them out.').waitFor()
    expect(await page.getByRole('button', { name: 'Import these people' }).isDisabled()).toBe(true)
    await page.getByLabel('Where Nachname goes').click()
    await page.getByRole('option', { name: 'Last name' }).click()
    await page.getByRole('radio', { name: 'Fill what is empty' }).check()
    // The browser writes it down some milliseconds later, sooner than a person could reload.
    await expect.poll(() => page.evaluate(keptForKnown)).toBe('fill')
    await page.reload()
    await untilListening(page)
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor()
    expect(await page.getByLabel('Name of the new field for Seit').inputValue()).toBe('since')
    expect(await page.getByLabel('Where Größe goes').textContent()).toContain('Leave out')
    expect(await page.getByLabel('What Seit holds').textContent()).toContain('Date')
    expect(await page.getByRole('radio', { name: 'Fill what is empty' }).isChecked()).toBe(true)
  })

  test('every line is accounted for, and each number leads to whom it counts', async () => {
    await page.getByRole('combobox', { name: 'List' }).click()
    await page.getByRole('option', { name: 'A new list…' }).click()
    await page.getByLabel('Name of the new list').fill('Kunden')
    await page.getByRole('button', { name: 'Import these people' }).click()
    await page.getByRole('heading', { name: 'What became of Kunden.csv' }).waitFor()
    const { imports } = await olga.ask<{ imports: Record<string, unknown>[] }>('GET', '/api/prospects/import')
    expect(imports[0]).toMatchObject({
      ...{ fileName: 'Kunden.csv', lines: 12, totalLines: 12, created: 4, updated: 1, duplicates: 1 },
      ...{ suppressed: 1, unsubscribed: 1, rejected: 4 },
    })
    await page.getByRole('link', { name: '4 rejected' }).click()
    await page.getByRole('row', { name: '12 Rejected' }).getByText('(since) is not a date').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(5)
    await page.getByRole('link', { name: '4 created' }).click()
    await page.getByText('4 people fit this filter.').waitFor()
    await page.getByRole('row', { name: 'formula@example.com' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: '1 updated' }).click()
    await page.getByRole('row', { name: 'known@example.com' }).getByText('Kate').waitFor()
  })

  test('its rejected lines come as a file that can be mended and imported again', async () => {
    await page.goBack()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download rejected lines' }).click(),
    ])
    const file = await readFile(await download.path(), 'utf8')
    expect(file).toContain('Sendonce: line,Sendonce: reason,E-Mail,Vorname')
    const bad = file.split('\r\n').find((line) => line.includes('date@example.com'))
    expect(bad).toMatch(/^12,.*since.*,date@example.com,Dan,,,,yesterday$/)
    await page.getByRole('button', { name: 'Import another file' }).click()
    await choose('mended.csv', Buffer.from(file.replace('yesterday', '2026-11-17')))
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor()
    expect(await page.getByLabel('Where Sendonce: reason goes').textContent()).toContain('Leave out')
    await page.getByRole('button', { name: 'Import these people' }).click()
    await page.getByRole('heading', { name: 'What became of mended.csv' }).waitFor()
    await page.getByRole('link', { name: /created/ }).waitFor()
  })
})

describe('a large file', () => {
  /** A hundred thousand with LARGE=100000. */
  const LINES = Number(process.env.LARGE ?? 20_000)

  test(`${LINES} lines survive a reload in the middle`, { timeout: 300_000 }, async () => {
    await page.getByRole('button', { name: 'Import another file' }).click()
    const lines = Array.from({ length: LINES }, (_, n) => `large${n}@example.com,Person ${n},Company ${n % 500}`)
    await choose('large.csv', Buffer.from(`email,first name,company\n${lines.join('\n')}\n`))
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor()
    await page.getByRole('button', { name: 'Import these people' }).click()
    await page.waitForURL(/job=/)
    await page.reload()
    await page.getByRole('heading', { name: 'What became of large.csv' }).waitFor({ timeout: 240_000 })
    await page.getByRole('link', { name: `${LINES.toLocaleString('en')} created` }).waitFor()
    await page.goto('/prospects/import')
    await page.getByRole('heading', { name: 'Or paste' }).waitFor()
    const { imports } = await olga.ask<{ imports: { fileName: string }[] }>('GET', '/api/prospects/import')
    expect(imports.filter(({ fileName }) => fileName === 'large.csv')).toHaveLength(1)
    const { count } = await olga.ask<{ count: number }>('GET', '/api/prospects/count?search=large')
    expect(count).toBe(LINES)
  })

  test('an import whose server went away is taken up again by the browser that has the file', async () => {
    await choose('cut.csv', Buffer.from('email\ncut1@example.com\ncut2@example.com\n'))
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor()
    // The request never reaches the server; the page is left in the middle of it.
    await page.route('**/api/prospects/import', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Import these people' }).click()
    await page.getByText('no answer came back').waitFor()
    await page.unroute('**/api/prospects/import')
    await page.reload()
    await page.getByRole('heading', { name: 'What became of cut.csv' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: '2 created' }).count()).toBe(1)
  })
})

test('a paste is imported by keyboard alone', async () => {
  olga.complaints.splice(0)
  await page.goto('/prospects')
  await pressPageKey(page, 'i')
  await page.waitForURL('/prospects/import')
  await page.getByLabel('Rows or addresses').focus()
  await page.keyboard.insertText('pasted1@example.com\npasted2@example.com')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('The first line holds an address').waitFor()
  await page.getByRole('button', { name: 'Import these people' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What became of pasted.csv' }).waitFor()
  await page.getByRole('link', { name: '2 created' }).waitFor()
  expect(olga.complaints).toEqual([])
})

/** What the browser has kept of the draft: what happens to people who are known already. */
function keptForKnown(): Promise<unknown> {
  return new Promise((resolve) => {
    const opened = indexedDB.open('sendonce-imports')
    opened.onsuccess = () => {
      const drafts = opened.result.transaction('drafts').objectStore('drafts').getAll()
      drafts.onsuccess = () => {
        opened.result.close()
        resolve(drafts.result[0]?.choices?.onKnown)
      }
    }
  })
}
