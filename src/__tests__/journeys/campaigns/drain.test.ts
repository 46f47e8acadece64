import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { callCron, changeSending, importPeople, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/**
 * A campaign drains while its page is open: no figure goes backwards, the focus and the place stay, and the tab does not
 * grow. DRAIN=10000 does so for ten minutes; the suite contents itself with a few seconds of it.
 */
const PEOPLE = Number(process.env.DRAIN ?? 160)
const MAILBOXES = Math.min(20, Math.ceil(PEOPLE / 20))
const LOOK_EVERY_MS = PEOPLE > 1_000 ? 10_000 : 2_000
/** Of a heap of some ten megabytes, after garbage was collected; what is shown changes, so it is never quite the same. */
const GROWTH_MB_MAX = 2

const app = testApp()
const chromium = testBrowser()
let olga: Guest
let page: Page
let campaignId = ''

type Look = { heapMb: number; nodes: number; hasFocus: boolean; scrolled: number }
/** In the page: every text that the ledger of emails has shown, in its order. */
type Seen = { seenLedgers: string[] }

beforeAll(async () => {
  olga = await Guest.enter(app, chromium.browser, { viewport: { width: 1440, height: 500 } })
  await olga.setUp()
  await setUpSending(app, olga)
  await changeSending(olga, { dailyQuota: PEOPLE * 2, jitterMinSeconds: 1, jitterMaxSeconds: 1 })
  const smtp = { host: '127.0.0.1', port: app.smtpPort, security: 'NONE', username: null }
  for (let n = 1; n < MAILBOXES; n += 1)
    await olga.ask('POST', '/api/mailboxes', { address: `m${n}@acme.example`, test: true, smtp })
  await app.sql('UPDATE mailboxes SET daily_limit = $1, rolling_limit = $1', [PEOPLE])
  await importPeople(
    olga,
    Array.from({ length: PEOPLE }, (_, n) => `reader${n}@example.test`),
  )
  campaignId = await launchToAll(olga, [{ subject: 'Hello', bodyText: 'A word.' }])
  page = await olga.open(`/campaigns/${campaignId}`)
})
afterAll(() => olga.leave())

const statusOf = async () => (await olga.ask<{ status: string }>('GET', `/api/campaigns/${campaignId}`)).status

test(`${PEOPLE} emails go out before one’s eyes`, { timeout: 1_800_000 }, async () => {
  const ledger = page.getByRole('figure', { name: 'Emails by state' })
  await ledger.waitFor()
  await ledger.evaluate((figure) => {
    const seen: string[] = []
    const note = () => {
      const text = [...figure.querySelectorAll('dl > div')].map((part) => part.textContent).join('; ')
      if (seen.at(-1) !== text) seen.push(text)
    }
    new MutationObserver(note).observe(figure, { childList: true, subtree: true, characterData: true })
    note()
    Object.assign(window, { seenLedgers: seen })
  })
  const focused = page.getByRole('link', { name: 'Activity' })
  await focused.focus()
  await page.evaluate(() => window.scrollTo(0, 40))
  const devTools = await page.context().newCDPSession(page)
  const looks: Look[] = []
  let isOver = false
  const worker = (async () => {
    while ((await statusOf()) === 'RUNNING') await callCron(app)
  })().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await sleep(LOOK_EVERY_MS)
    looks.push(await lookAt(devTools))
  }
  await worker
  await page.getByText(`It is over: ${PEOPLE.toLocaleString('en')} emails were sent.`).waitFor()

  const seen = await page.evaluate(() => (window as unknown as Seen).seenLedgers)
  const sent = seen.map((text) => countIn(text, 'Sent'))
  process.stdout.write(
    `${PEOPLE} emails, ${looks.length} looks, ${seen.length} ledgers; heap ${looks.map(({ heapMb }) => heapMb.toFixed(1)).join(' ')} MB; nodes ${looks.map(({ nodes }) => nodes).join(' ')}\n`,
  )
  expect(sent).toEqual(sent.toSorted((one, other) => one - other))
  // Each is a whole: what has left one state has come to another, and the sum stays.
  for (const text of seen) expect(text).toContain(`All emails${PEOPLE.toLocaleString('en')}`)
  for (const text of seen) expect(text).not.toContain('the parts come to')
  expect(seen.length).toBeGreaterThan(2)
  expect(looks.filter(({ hasFocus }) => !hasFocus)).toEqual([])
  // At the last one it may be over, and says so above.
  expect(new Set(looks.slice(0, -1).map(({ scrolled }) => scrolled)).size).toBeLessThanOrEqual(1)
  // Of the first quarter, in which the page settles, nothing is asked.
  const settled = looks.slice(Math.ceil(looks.length / 4))
  const [first = 0, last = 0] = [settled[0]?.heapMb, settled.at(-1)?.heapMb]
  expect(last - first).toBeLessThan(GROWTH_MB_MAX)
  expect(olga.complaints).toEqual([])

  async function lookAt(session: CDPSession): Promise<Look> {
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const { nodes } = await session.send('Memory.getDOMCounters')
    const hasFocus = await focused.evaluate((one) => one === document.activeElement)
    return { heapMb: usedSize / 1e6, nodes, hasFocus, scrolled: await page.evaluate(() => window.scrollY) }
  }
})

const countIn = (text: string, label: string) =>
  Number((new RegExp(`${label}([\\d,]+)`).exec(text)?.[1] ?? '0').replaceAll(',', ''))
