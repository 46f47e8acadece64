import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, mailTo, untilInMenu } from '#tests/support/browser/guest.ts'
import { callCron, setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/** A sequence that branches, from the editor to the branch that is taken: by a link in the mail, and by a program's word. */
const app = testApp()
const chromium = testBrowser()
let owner: Guest
let page: Page
let sequenceId = ''
let campaignId = ''

const [CLICKER, BUYER] = ['cleo@example.test', 'ben@example.test']

const READER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
/** Something on the web that is there without a network. */
const PLAN = () => `${app.url}/icon.svg`

beforeAll(async () => {
  owner = await Guest.enter(app, chromium.browser)
  await owner.setUp()
  await setUpSending(app, owner)
  await owner.ask('POST', '/api/lists', { name: 'Keen' })
  for (const email of [CLICKER, BUYER])
    await owner.ask('POST', '/api/prospects', { email, firstName: email.slice(0, 3) })
  const steps = [{ subject: 'Hello', bodyHtml: `<p>Here is <a href="${PLAN()}">the plan</a>.</p>` }]
  sequenceId = (await owner.ask<{ id: string }>('POST', '/api/sequences', { name: 'By what they do', steps })).id
})
afterAll(() => owner.leave())

type Graph = { nodes: { type: string; yes?: { type: string }[]; no?: { type: string }[] }[] }
const readGraph = async () => (await owner.ask<{ graph: Graph | null }>('GET', `/api/sequences/${sequenceId}`)).graph
const region = (name: RegExp) => page.getByRole('group', { name }).first()

describe('the editor', () => {
  test('grows a branch by keyboard, shows the path of a person, and saves itself', async () => {
    page = await owner.open(`/sequences/${sequenceId}`)
    await page.getByRole('button', { name: 'Add a wait, branch or action' }).press('Enter')
    await untilInMenu(page)
    await page.getByRole('menuitem', { name: 'If … then, else' }).press('Enter')
    const yes = region(/^Yes: they followed a link/)
    await yes.getByText('Goes on with what follows below.').waitFor()
    await yes.getByRole('button', { name: /^Add a wait, branch or action/ }).press('Enter')
    await untilInMenu(page)
    await page.getByRole('menuitem', { name: 'Add to a list' }).press('Enter')
    await region(/^No: they did not/)
      .getByRole('button', { name: /^Add a step/ })
      .press('Enter')
    const text = page.getByRole('textbox', { name: 'Text of step 2', exact: true })
    await text.click()
    await page.keyboard.type('Have you seen it?')
    await page.getByText(/^Saved/).waitFor()
    await expect.poll(async () => (await readGraph())?.nodes.map(({ type }) => type)).toEqual(['email', 'branch'])
    const branch = (await readGraph())?.nodes[1]
    expect([branch?.yes, branch?.no].map((side) => side?.map(({ type }) => type))).toEqual([['add-to-list'], ['email']])

    const path = page
      .getByRole('region', { name: /would get…$/ })
      .or(page.locator('section', { hasText: 'would get…' }))
    await path.first().getByText('Forecast').first().waitFor()
    await page.getByRole('checkbox', { name: /^1\. followed a link/ }).check()
    await path.first().getByText(/yes/).first().waitFor()
    expect(owner.complaints).toEqual([])
  })

  test('fits on a phone', async () => {
    await page.setViewportSize({ width: 375, height: 800 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})

async function listMembers(): Promise<string[]> {
  const { lists } = await owner.ask<{ lists: { id: string }[] }>('GET', '/api/lists')
  const { prospects } = await owner.ask<{ prospects: { email: string }[] }>(
    'GET',
    `/api/prospects?listId=${lists[0]?.id}`,
  )
  return prospects.map(({ email }) => email)
}

test('whoever follows the link in their mail is taken along the yes side, and the other waits', async () => {
  const body = { name: 'By what they do', sequenceId, tracksClicks: true }
  campaignId = (await owner.ask<{ id: string }>('POST', '/api/campaigns', body)).id
  await owner.ask('POST', `/api/campaigns/${campaignId}/prospects`, { all: true })
  await owner.ask('POST', `/api/campaigns/${campaignId}/launch`, {})
  await callCron(app)
  const mail = await mailTo(app, CLICKER)
  // A scanner is told by how soon it comes.
  await app.sql(`UPDATE test_support.clock SET "offset" = "offset" + interval '1 minute'`)
  // What says that it is a browser without a window is taken for the program that it is.
  const reader = await Guest.enter(app, chromium.browser, { userAgent: READER })
  const inbox = await reader.context.newPage()
  await inbox.goto(app.inCatcher(`/m/${mail.id}?tab=html`))
  const href = await inbox.frameLocator('iframe').getByRole('link', { name: 'the plan' }).getAttribute('href')
  expect(href).toContain(`${app.url}/t/`)
  await inbox.goto(href ?? '')
  expect(inbox.url()).toBe(PLAN())
  await reader.leave()
  await expect
    .poll(
      async () => {
        await sleep(1_000)
        await callCron(app)
        return listMembers()
      },
      { timeout: 60_000 },
    )
    .toEqual([CLICKER])

  await page.goto(`/campaigns/${campaignId}?tab=people`)
  await page.getByRole('button', { name: /^Path of cle/ }).click()
  await page.getByRole('dialog').getByText('Happened').first().waitFor()
  expect(owner.complaints).toEqual([])
})

test('what is set for a time stands on a page of its own, beside the queue', async () => {
  await page.goto('/admin/actions')
  await page.getByRole('heading', { name: 'Scheduled actions' }).waitFor()
  await page.getByRole('link', { name: BUYER }).first().waitFor()
  await page.getByRole('link', { name: 'Time-out' }).first().click()
  await page.getByRole('dialog', { name: 'Time-out' }).getByRole('link', { name: 'By what they do' }).waitFor()
  expect(owner.complaints).toEqual([])
})

test('what a program tells of a person stands on their page', async () => {
  await owner.ask('POST', '/api/events', { name: 'bought', email: BUYER, data: { product: 'table' } })
  const { prospects } = await owner.ask<{ prospects: { id: string }[] }>('GET', `/api/prospects?search=${BUYER}`)
  await page.goto(`/prospects/${prospects[0]?.id}`)
  await page.getByText('Your program told: bought').waitFor()
  await page.getByText('product: table').waitFor()
  expect(owner.complaints).toEqual([])
})
