import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '#lib/operations/doctor/examine.ts'
import { createPool } from '#lib/platform/database.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo } from '#tests/support/browser/guest.ts'
import { changeSending, importPeople, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, until } from '#tests/support/faults/waiting.ts'
import { ENCRYPTION_KEYS, withWorkers } from '#tests/support/faults/worker.ts'
import { testApp } from '#tests/support/server/app.ts'

/**
 * A server refuses a whole campaign for good; once it takes its messages, an admin retries them all by a filter while
 * workers send, and closes the tab half way. RETRIED=5000 does so at full size; the suite takes as many as need three
 * slices of a bulk, and are more than a preview tries out.
 */
const RETRIED = Number(process.env.RETRIED ?? 1_100)
/** Of the same campaign: they reply before the retry. */
const REPLIED = 12
/** Refused in the same way, in a campaign that is stopped before the retry; and as many refused for another reason. */
const BYSTANDERS = 3
const LEFT_OUT = REPLIED + BYSTANDERS
const FOUND = RETRIED + LEFT_OUT
const MAILBOXES = 10
/** Nearly half: the slice that passes this brings it there. */
const HALF_WAY = Math.floor(FOUND * 0.4)
const HALF_WAY_LOCK = 16
/** Leases as shipped: on a crowded machine a worker may stand still for longer than those of the fault tests. */
const WORKER = { encryptionKeys: ENCRYPTION_KEYS, connections: 5, leaseSeconds: 120, submitSeconds: 45 }
/** Only to end in vain: the work of thousands takes minutes on a crowded machine. */
const WORK_MS_MAX = 900_000

// A server that refuses the message blames neither mailbox nor domain: no breaker makes them pause.
const REFUSED = { reply: '554 5.6.0 This message is not wanted here' }
const TOO_LARGE = { reply: '552 5.3.4 This message is too large' }
/** An email that waits for another try keeps its campaign open, so that it can be stopped. */
const LATER = { reply: '451 4.3.0 Come back later' }

const app = testApp({ ENCRYPTION_KEYS })
const chromium = testBrowser()
const provider = testProvider()
let pool: pg.Pool
/** A connection of its own: what it holds is let go when it ends. */
let holder: pg.Client
let olga: Guest
let adam: Guest
let peopleCount = 0

const said = (count: number) => count.toLocaleString('en')
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the queue' }).getByRole('link', { name, exact: true })
const bulkLine = (page: Page) => page.getByRole('list', { name: 'What is done to many emails' }).getByRole('status')

beforeAll(async () => {
  pool = createPool(app.databaseUrl, 4)
  holder = new pg.Client({ connectionString: app.databaseUrl })
  await holder.connect()
  olga = await Guest.enter(app, chromium.browser)
  adam = await Guest.enter(app, chromium.browser)
  await olga.setUp()
  await setUpSending({ ...app, smtpPort: provider.port }, olga)
  await changeSending(olga, { dailyQuota: RETRIED * 4 })
  const smtp = { host: '127.0.0.1', port: provider.port, security: 'NONE', username: null }
  for (let n = 1; n < MAILBOXES; n += 1)
    await olga.ask('POST', '/api/mailboxes', { address: `m${n}@acme.example`, smtp })
  const { mailboxes } = await olga.ask<{ mailboxes: { id: string }[] }>('GET', '/api/mailboxes')
  for (const { id } of mailboxes)
    await olga.ask('PATCH', `/api/mailboxes/${id}`, { dailyLimit: RETRIED, rollingLimit: RETRIED })
  await olga.ask('POST', '/api/invitations', { email: 'adam@example.com', role: 'admin' })
  await adam.join(await linkMailedTo(app, 'adam@example.com'), 'Adam Admin')
})
afterAll(async () => {
  for (const guest of [olga, adam]) await guest?.leave()
  await holder?.end()
  await pool?.end()
})

test(`${said(RETRIED)} are retried while workers send: the tab is closed half way, the report adds up, each is sent once`, {
  timeout: 1_800_000,
}, async () => {
  const seconds: Record<string, number> = {}
  const began = performance.now()
  const noted = (what: string) => {
    seconds[what] = Math.round((performance.now() - began) / 1000)
  }
  const campaigns = await withWorkers(app.databaseUrl, [WORKER, WORKER], async () => {
    const { large, stopped, refused } = await letThemFail()
    noted('failed')
    await provider.play({})
    await letSomeReply(refused)

    const page = await adam.open('/admin/email-queue')
    const retry = await openPreview(page)
    const seen = await watch(page)
    await holdBulkHalfWay()
    await retry.click()
    const { lookedAt, done } = await halfOfBulk()
    const halfWay = `Retry: ${said(lookedAt)} of ${said(FOUND)} looked at, goes on by itself`
    await until('the page says how far it is', async () => (await bulkLine(page).textContent()) === halfWay)
    const before = await seen()
    await page.close()
    await untilThereAre(refused, 'SENT', done)
    noted('half way')

    const again = await adam.open('/admin/email-queue')
    const seenAgain = await watch(again)
    await until('the new tab says it too', async () => (await bulkLine(again).textContent()) === halfWay)
    await letGo()
    const end = `Retry: done for ${said(RETRIED)} emails, ${LEFT_OUT} left out`
    await until('the page says the end', async () => (await bulkLine(again).textContent()) === end)
    noted('retried')
    await again.getByRole('button', { name: 'Who was left out' }).click()
    await again.getByText(`${REPLIED}: The recipient replied`).waitFor()
    await again.getByText(`${BYSTANDERS}: Its campaign was stopped`).waitFor()
    await untilThereAre(refused, 'SENT', RETRIED)
    noted('sent')
    await tab(again, `Sent ${said(RETRIED)}`).waitFor()
    await tab(again, 'Waiting 0').waitFor()
    await tab(again, `Needs a decision ${LEFT_OUT + BYSTANDERS}`).waitFor()

    const after = await seenAgain()
    for (const counts of [[...before.lookedAt, ...after.lookedAt], after.sent])
      expect(counts).toEqual(counts.toSorted((one, other) => one - other))
    return [large, stopped, refused]
  })

  const attempts = await countAttempts(campaigns)
  const findings = await verdict(pool, 'bulk retry', campaigns, provider.ledger())
  process.stdout.write(`${JSON.stringify({ seconds, attempts, ...findings })}\n`)
  expect(findings).toMatchObject({
    ...{ accepted: RETRIED, doubles: 0, sent: RETRIED, unknown: 0, waiting: 0 },
    ...{ failed: LEFT_OUT + BYSTANDERS, cancelled: 1 },
  })
  // Each was refused once and accepted once, the others were refused once, and one was asked to come back later.
  expect(attempts).toBe(RETRIED * 2 + LEFT_OUT + BYSTANDERS + 1)
  expect(provider.ledger().filter(({ event }) => event === 'data')).toHaveLength(attempts)
  expect(await examine(pool)).toEqual([])
  expect([...olga.complaints, ...adam.complaints]).toEqual([])
})

/** Three campaigns, as the provider refuses them. */
async function letThemFail(): Promise<Record<'large' | 'stopped' | 'refused', string>> {
  await addReaders(BYSTANDERS)
  await provider.play({ dot: TOO_LARGE })
  const large = await launchToAll(olga, [{ subject: 'A film', bodyText: 'Look at it.' }])
  await untilThereAre(large, 'PERMANENTLY_FAILED', BYSTANDERS)

  await addReaders(1)
  await provider.play({ dot: [...Array.from({ length: BYSTANDERS }, () => REFUSED), LATER] })
  const stopped = await launchToAll(olga, [{ subject: 'Autumn', bodyText: 'A word.' }])
  await untilThereAre(stopped, 'PERMANENTLY_FAILED', BYSTANDERS)
  await olga.ask('POST', `/api/campaigns/${stopped}/stop`)

  await addReaders(RETRIED + REPLIED - peopleCount)
  await provider.play({ dot: REFUSED })
  const refused = await launchToAll(olga, [{ subject: 'Winter', bodyText: 'Another word.' }])
  await untilThereAre(refused, 'PERMANENTLY_FAILED', RETRIED + REPLIED)
  return { large, stopped, refused }
}

async function addReaders(count: number): Promise<void> {
  const from = peopleCount
  peopleCount += count
  await importPeople(
    olga,
    Array.from({ length: count }, (_, n) => `reader${from + n}@example.test`),
  )
}

/** Half of them among the newest, so that a preview finds them. */
async function letSomeReply(campaignId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `(SELECT prospect_id AS id FROM scheduled_emails WHERE campaign_id = $1 ORDER BY scheduled_emails.id DESC LIMIT $2)
     UNION ALL (SELECT prospect_id FROM scheduled_emails WHERE campaign_id = $1 ORDER BY scheduled_emails.id LIMIT $2)`,
    [campaignId, REPLIED / 2],
  )
  for (const { id } of rows) await olga.ask('PATCH', `/api/prospects/${id}`, { replied: true })
}

/** By the filter of an error, up to the button that begins it. */
async function openPreview(page: Page) {
  await tab(page, `Needs a decision ${said(FOUND + BYSTANDERS)}`).waitFor()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('combobox', { name: 'Error' }).click()
  await page.getByRole('option', { name: 'Message refused' }).click()
  await tab(page, `Needs a decision ${said(FOUND)}`).waitFor()
  await page.getByRole('checkbox', { name: 'Select reader' }).first().check()
  await page.getByRole('button', { name: `Select all ${said(FOUND)} of this filter` }).click()
  await page.getByText(`${said(FOUND)} selected`).waitFor()
  await page.getByRole('button', { name: 'Retry…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry' })
  await dialog.getByText(`Of the first 1,000: It can be done for ${said(1_000 - REPLIED / 2)} emails.`).waitFor()
  await dialog.getByText(`${REPLIED / 2}: The recipient replied`).waitFor()
  return dialog.getByRole('button', { name: 'Retry' })
}

type Seen = { lookedAt: number[]; sent: number[] }

/** From here on: every count that the page has said of how far the bulk is, and of what is sent. */
async function watch(page: Page): Promise<() => Promise<Seen>> {
  await page.evaluate(() => {
    const seen: Seen = { lookedAt: [], sent: [] }
    const note = (counts: number[], place: string, words: RegExp) => {
      const said = words.exec(document.querySelector(place)?.textContent ?? '')?.[1]
      if (said === undefined) return
      const count = Number(said.replaceAll(',', ''))
      if (counts.at(-1) !== count) counts.push(count)
    }
    const look = () => {
      note(seen.lookedAt, '[aria-label="What is done to many emails"]', /([\d,]+) of [\d,]+ looked at/)
      note(seen.sent, '[aria-label="Parts of the queue"]', /Sent ([\d,]+)/)
    }
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
    look()
    Object.assign(window, { seen })
  })
  return () => page.evaluate(() => (window as unknown as { seen: Seen }).seen)
}

/** As if the process that has the slice after half of it in hand stood still at its end, before it commits. */
async function holdBulkHalfWay(): Promise<void> {
  await holder.query(`SELECT pg_advisory_lock(${HALF_WAY_LOCK})`)
  await holder.query(
    `CREATE FUNCTION wait_half_way() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_advisory_xact_lock_shared(${HALF_WAY_LOCK}); RETURN NEW; END $$`,
  )
  await holder.query(
    `CREATE TRIGGER half_way BEFORE UPDATE ON email_bulks FOR EACH ROW WHEN (OLD.looked_at >= ${HALF_WAY})
       EXECUTE FUNCTION wait_half_way()`,
  )
}

const letGo = () => holder.query(`SELECT pg_advisory_unlock(${HALF_WAY_LOCK})`)

async function halfOfBulk(): Promise<{ lookedAt: number; done: number }> {
  return until('a bulk is half way', async () => {
    const bulk = await openBulk()
    return bulk && bulk.lookedAt >= HALF_WAY && bulk
  })
}

async function openBulk(): Promise<{ lookedAt: number; done: number } | undefined> {
  const { rows } = await pool.query<{ lookedAt: number; done: number }>(
    'SELECT looked_at AS "lookedAt", done FROM email_bulks WHERE finished_at IS NULL',
  )
  return rows[0]
}

function untilThereAre(campaignId: string, state: string, count: number): Promise<boolean> {
  let states: Record<string, number> = {}
  return until(
    () => `${count} emails are ${state} (${JSON.stringify(states)})`,
    async () => {
      states = await countStates(pool, campaignId)
      return states[state] === count
    },
    WORK_MS_MAX,
  )
}

async function countAttempts(campaignIds: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id
     WHERE e.campaign_id = ANY($1::uuid[])`,
    [campaignIds],
  )
  return rows[0]?.count ?? 0
}
