import { afterAll, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

/** The database came back as another one, and a fault stands in it: what people see of both, and what they do. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest

const tick = () => fetch(`${app.url}/api/cron/send-emails`, { headers: { authorization: `Bearer ${app.cronSecret}` } })

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await tick()
})
afterAll(() => olga.leave())

test('a hold shows on every page that is open, says what changed, and an owner lets sending go on', async () => {
  const page = await olga.open('/team')
  await app.sql(`UPDATE server_sightings SET server = '7000000000000000001/1'`)
  await tick()
  const notice = page.getByRole('complementary', { name: 'Notice' })
  await notice.getByText('All sending is held').waitFor()
  await notice.getByRole('link', { name: 'See why' }).click()
  await page.waitForURL('/admin/held')
  await page.getByText('System identifier').waitFor()
  await page.getByText('7000000000000000001').waitFor()
  await page.getByText('Nothing that waits in Acme could have been sent in between.').waitFor()
  expect(await notice.count()).toBe(0)

  await page.getByRole('button', { name: 'Let sending go on…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Let sending go on?' })
  await dialog.getByText('cannot be taken back').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Let sending go on…' }).click()
  await dialog.getByRole('button', { name: 'Let sending go on' }).click()
  await page.getByText('Nothing is held').waitFor()
  await page.goto('/audit')
  await page.getByText('let sending go on after a hold').waitFor()
  expect(olga.complaints).toEqual([])
})

test('a fault comes onto the overview and the open page by ticks alone, and goes after its cure', async () => {
  const page = await olga.open('/admin/promise')
  await page.getByText('The promise holds').waitFor()
  await olga.ask('POST', '/api/prospects', { email: 'ada@example.com' })
  await app.sql(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at) SELECT gen_random_uuid(), id, 'ann@acme.test', 'SMTP', now() FROM workspaces`,
  )
  await app.sql('INSERT INTO mailbox_days (mailbox_id, local_date, reserved) SELECT id, current_date, 7 FROM mailboxes')
  const looked = async (words: string) => {
    await expect
      .poll(
        async () => {
          // Half a minute later, as far as the database knows.
          await app.sql(`UPDATE test_support.clock SET "offset" = "offset" + interval '31 seconds'`)
          await tick()
          return page.getByText(words).first().isVisible()
        },
        { timeout: 60_000, interval: 5_000 },
      )
      .toBe(true)
  }
  await looked('mailbox and date pairs have counted another number')
  const other = await olga.open('/overview')
  await other.getByRole('link', { name: /^Look: 1 mailbox and date pairs/ }).click()
  await other.waitForURL('/admin/promise#mailbox-days-add-up')
  await other.getByRole('link', { name: /^ann@acme\.test on / }).waitFor()
  await app.sql('DELETE FROM mailbox_days')
  await looked('The promise holds')
  await expect.poll(() => page.getByText('mailbox and date pairs').count()).toBe(0)
  expect(olga.complaints).toEqual([])
})
