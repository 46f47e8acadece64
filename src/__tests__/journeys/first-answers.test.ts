import { afterAll, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, untilListening } from '#tests/support/browser/guest.ts'
import { callCron, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { pageAddresses } from '#tests/support/browser/pages.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A page comes with its content: it shows it although nothing that it asks for is answered. */
const app = testApp()
const chromium = testBrowser()
let olga: Guest
const ids = { sequence: '', template: '', person: '', draft: '', running: '' }

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  ids.sequence = (
    await olga.ask<{ id: string }>('POST', '/api/sequences', {
      name: 'Trade fair',
      steps: [{ subject: 'Your stand, again' }],
    })
  ).id
  const text = { name: 'Table booked', subject: 'Your table', bodyText: 'A word.' }
  ids.template = (await olga.ask<{ id: string }>('POST', '/api/templates', text)).id
  const { prospect } = await olga.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    email: 'ada@example.com',
  })
  ids.person = prospect.id
  await olga.ask('POST', '/api/lists', { name: 'Customers' })
  await olga.ask('POST', '/api/suppressions', { value: 'competitor.example', reason: null })
  await olga.ask('POST', '/api/domains', { domain: 'acme.test' })
  await olga.ask('POST', '/api/api-keys', { name: 'Booking site', scopes: ['send'] })
  const hook = { url: 'http://127.0.0.1:9/', description: 'Booking hooks', events: ['email.sent'] }
  await olga.ask('POST', '/api/webhooks', hook)
  await setUpSending(app, olga)
  ids.running = await launchToAll(olga, [
    { subject: 'Your stand', bodyText: 'A word.' },
    { delayDays: 3, bodyText: 'Again.' },
  ])
  await callCron(app)
  const draft = { name: 'Autumn', sequenceId: ids.sequence }
  ids.draft = (await olga.ask<{ id: string }>('POST', '/api/campaigns', draft)).id
})
afterAll(() => olga.leave())

const PAGES: Record<string, { address?: () => string; shows: string | RegExp }> = {
  '/sequences': { shows: 'Trade fair' },
  '/sequences/[id]': { address: () => `/sequences/${ids.sequence}`, shows: 'Add a step' },
  '/settings/templates': { shows: 'Table booked' },
  '/settings/templates/[id]': {
    address: () => `/settings/templates/${ids.template}`,
    shows: 'How a program sends it',
  },
  '/prospects': { shows: 'ada@example.com' },
  '/prospects/[id]': { address: () => `/prospects/${ids.person}`, shows: 'Timeline' },
  '/prospects/import': { shows: 'Or paste' },
  '/lists': { shows: 'Customers' },
  '/suppressions': { shows: 'competitor.example' },
  '/mailboxes': { shows: 'ann@acme.example' },
  '/mailboxes/gmail': { shows: 'There is nothing to connect here' },
  '/settings': { shows: 'Workspace name' },
  '/settings/domains': { shows: 'acme.test' },
  '/settings/api-keys': { shows: 'Booking site' },
  '/settings/webhooks': { shows: 'Booking hooks' },
  '/settings/sending': { shows: 'Shortest pause' },
  '/team': { shows: 'olga@example.com' },
  '/campaigns': { shows: '1 sent, 1 waiting' },
  '/campaigns/people': { shows: '1 of 2' },
  '/campaigns/[id]': { address: () => `/campaigns/${ids.running}`, shows: 'The next emails' },
  '/admin/email-queue': { shows: 'Nothing needs a decision' },
  '/admin/actions': { shows: 'Nothing was ever set for a time' },
  '/admin/held': { shows: 'Nothing is held' },
  '/admin/promise': { shows: 'Outcome unknown at some time' },
  '/audit': { shows: /added .*ann@acme\.example|connected .*ann@acme\.example/ },
}

/** Each tab of a campaign, before and after its launch. */
const TABS: Record<string, { address: () => string; shows: string | RegExp }> = {
  'a draft': { address: () => `/campaigns/${ids.draft}`, shows: 'Your stand, again' },
  'people of a draft': { address: () => `/campaigns/${ids.draft}?tab=people`, shows: 'Nobody is in this campaign yet' },
  'settings of a draft': { address: () => `/campaigns/${ids.draft}?tab=settings`, shows: 'All that are connected' },
  people: { address: () => `/campaigns/${ids.running}?tab=people&state=ACTIVE`, shows: '1 of 2' },
  plan: { address: () => `/campaigns/${ids.running}?tab=plan`, shows: '1 sent' },
  emails: { address: () => `/campaigns/${ids.running}?tab=emails&status=SENT`, shows: 'ada@example.com' },
  activity: { address: () => `/campaigns/${ids.running}?tab=activity`, shows: 'sent 1 email' },
  settings: { address: () => `/campaigns/${ids.running}?tab=settings`, shows: 'All that are connected, in turn' },
}

/** These ask by themselves, or have nothing to ask for. */
const OTHERS = /^\/($|overview|admin|api-keys|webhooks|sign-in|setup|invitation|forgot-password|reset-password)/

test('every page on disk is one of them', () => {
  expect(pageAddresses().filter((address) => !OTHERS.test(address) && !PAGES[address])).toEqual([])
})

test.each(Object.entries({ ...PAGES, ...TABS }))(
  '%s',
  async (path: string, { address, shows }: { address?: () => string; shows: string | RegExp }) => {
    const page = await olga.context.newPage()
    const fetched: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('_rsc=')) fetched.push(request.url())
    })
    await page.route('**/api/**', (route) => route.abort())
    await page.goto(address?.() ?? path)
    await page.getByRole('main').getByText(shows).first().waitFor()
    await untilListening(page)
    await page.waitForLoadState('networkidle')
    // Nor does it fetch, for each of its rows, the page that a person might open.
    expect(fetched).toEqual([])
    await page.close()
  },
)
