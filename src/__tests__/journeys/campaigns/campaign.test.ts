import { beforeAll, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, mailCount, mailTo } from '#tests/support/browser/guest.ts'
import { callCron, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { testApp } from '#tests/support/server/app.ts'

/** From the launch to the last follow-up, through the product as shipped: what the API says, and what the readers have. */
const app = testApp()
const chromium = testBrowser()
let owner: Guest
let campaignId: string

const READERS = ['zoe@example.test', 'yan@example.test', 'xia@example.test']
const STEPS = [
  { subject: 'Grüße, {{firstName | "you"}}', bodyText: 'Dear {{firstName | "reader"}},\n\na word.' },
  { delayDays: 2, bodyHtml: '<p>Again, <b>{{firstName | "reader"}}</b>.</p>' },
]

type Headers = { headers: { name: string; value: string }[] }
type Ledger = {
  status: string
  ledger: { enrolments: Record<string, number>; emails: Record<string, number>; balances: boolean }
}

const progress = () => owner.ask<Ledger>('GET', `/api/campaigns/${campaignId}/progress`)
const travel = (interval: string) =>
  app.sql('UPDATE test_support.clock SET "offset" = "offset" + $1::interval', [interval])

async function newestTo(email: string) {
  const { id, subject, text } = await mailTo(app, email)
  const { headers } = (await app.askCatcher(`/api/messages/${id}`)) as Headers
  const header = (wanted: string) => headers.filter(({ name }) => name === wanted).map(({ value }) => value)
  return { subject, text, header }
}

beforeAll(async () => {
  owner = await Guest.enter(app, chromium.browser)
  await owner.setUp()
  await setUpSending(app, owner)
  for (const email of READERS) await owner.ask('POST', '/api/prospects', { email })
  campaignId = await launchToAll(owner, STEPS)
})

test('a launch sends nothing by itself; the tick sends the first step to everybody once, and the ledgers balance', async () => {
  for (const email of READERS) expect(await mailCount(app, email)).toBe(0)
  expect(await callCron(app)).toMatchObject({ due: 3, sent: 3, failed: 0, unknown: 0 })
  // The next tick finds nothing to do.
  expect(await callCron(app)).toMatchObject({ due: 0, sent: 0 })
  for (const email of READERS) {
    expect(await mailCount(app, email)).toBe(1)
    const mail = await newestTo(email)
    expect(mail.subject).toBe('Grüße, you')
    expect(mail.text).toContain('Dear reader,\n\na word.\n\nAcme\n1 High Street')
    expect(mail.header('In-Reply-To')).toEqual([])
    expect(mail.header('List-Unsubscribe-Post')).toEqual(['List-Unsubscribe=One-Click'])
  }
  expect(await progress()).toMatchObject({
    status: 'RUNNING',
    ledger: { enrolments: { ACTIVE: 3, total: 3 }, emails: { SENT: 3, SCHEDULED: 3, wanted: 6 }, balances: true },
  })
})

test('the follow-up waits for its day, then arrives in the thread of the first, and the campaign is sent', async () => {
  const first = new Map(await Promise.all(READERS.map(async (email) => [email, await newestTo(email)] as const)))
  await travel('1 day')
  expect(await callCron(app)).toMatchObject({ sent: 0 })

  await travel('2 days')
  expect(await callCron(app)).toMatchObject({ sent: 3, failed: 0, unknown: 0 })
  for (const email of READERS) {
    expect(await mailCount(app, email)).toBe(2)
    const mail = await newestTo(email)
    const before = first.get(email)
    const [messageId = ''] = before?.header('Message-ID') ?? []
    expect(messageId).toMatch(/^<.+@acme\.example>$/)
    expect(mail.header('Message-ID')).not.toEqual([messageId])
    expect(mail.header('In-Reply-To')).toEqual([messageId])
    expect(mail.header('References')).toEqual([messageId])
    expect(mail.subject).toBe(before?.subject)
    expect(mail.header('From')).toEqual(before?.header('From'))
  }
  await callCron(app)
  expect(await progress()).toMatchObject({
    status: 'SENT',
    ledger: { enrolments: { FINISHED: 3, total: 3 }, emails: { SENT: 6, SCHEDULED: 0, wanted: 6 }, balances: true },
  })
  expect(await owner.ask('GET', '/api/admin/dashboard')).toMatchObject({
    pendingEmailCount: 0,
    failedEmailCount: 0,
    unknownEmailCount: 0,
  })
})
