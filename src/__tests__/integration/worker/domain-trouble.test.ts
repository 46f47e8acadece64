import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reconnectMailbox } from '#lib/email-scheduler/mailboxes/change-mailbox.ts'
import { listMailboxes } from '#lib/email-scheduler/mailboxes/mailbox.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { explainWhyNotNow } from '#lib/email-scheduler/read/why-not-now.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { DUE_NOW, sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** Many mailboxes of one sending domain, whose hand-overs go the same wrong way. */
const db = testDatabase()
let provider: TestProvider
beforeEach(() => {
  provider = new TestProvider()
})
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`))

const MAILBOXES = 8
const BURNED_MAX = 5
const IN_FLIGHT = 2
const accepted: TestProvider['answer'] = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
const BLOCKED: SendOutcome = { kind: 'rejected', scope: 'domain', code: 'POLICY_REFUSED', reason: '554 blocklisted' }
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }

const makeMany = () => makeDueCampaign(db.pool, { prospects: 40, mailboxes: MAILBOXES })

async function mailboxesOf({ workspaceId }: Pick<DueCampaign, 'workspaceId'>) {
  const { rows } = await db.pool.query<{ status: string; minutes: number | null; reason: string | null }>(
    `SELECT DISTINCT status, round(extract(epoch FROM fault_until - app_now()) / 60)::int AS minutes,
       coalesce(stopped_reason, pause_reason) AS reason FROM mailboxes WHERE workspace_id = $1`,
    [workspaceId],
  )
  return rows
}

const WAYS: Record<string, { outcome: SendOutcome; says: RegExp }> = {
  unanswered: {
    outcome: UNKNOWN,
    says: /^The last \d messages of mailboxes at acme\.test were handed over and never answered/,
  },
  blocked: { outcome: BLOCKED, says: /^The last \d messages of mailboxes at acme\.test were refused by policy/ },
  bounced: {
    outcome: { kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' },
    says: /^The last \d recipients of mailboxes at acme\.test were refused one after the other/,
  },
}

describe.each(Object.entries(WAYS))('where everything is %s', (_, { outcome, says }) => {
  test('all mailboxes of the domain pause before each has burned its own, one email is tried for all, and then they stop', async () => {
    const campaign = await makeMany()
    provider.answer = () => outcome
    await sendAll(db.pool, provider, { connections: IN_FLIGHT })
    const burned = provider.handed.length
    expect(burned).toBeGreaterThanOrEqual(BURNED_MAX)
    expect(burned).toBeLessThan(BURNED_MAX + IN_FLIGHT)
    const [one, ...others] = await mailboxesOf(campaign)
    expect(others).toEqual([])
    expect(one).toEqual({ status: 'CONNECTED', minutes: 1, reason: expect.stringMatching(says) })
    const [shown] = await listMailboxes(db.pool, campaign.workspaceId, 'false')
    expect(shown?.deferredReason).toMatch(says)
    for (const [index, pause] of ['1 minute', '5 minutes', '15 minutes'].entries()) {
      await db.travel(pause)
      // As many workers as there are mailboxes: the one email is one for all of them.
      await Promise.all([1, 2, 3].map((worker) => sendAll(db.pool, provider, { worker: `worker-${worker}` })))
      expect(provider.handed).toHaveLength(burned + index + 1)
    }
    expect(await mailboxesOf(campaign)).toEqual([
      { status: 'STOPPED', minutes: expect.any(Number), reason: expect.stringMatching(says) },
    ])
  })
})

test('an email that waits says the domain’s reason, and one that goes well lets all mailboxes go on at once', async () => {
  const campaign = await makeMany()
  provider.answer = () => BLOCKED
  await sendAll(db.pool, provider, { connections: 1 })
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SCHEDULED' LIMIT 1`,
    [campaign.campaignId],
  )
  const why = await explainWhyNotNow(db.pool, campaign.workspaceId, rows[0]?.id ?? '')
  expect(JSON.stringify(why)).toMatch(/of mailboxes at acme\.test were refused by policy/)

  await db.travel('1 minute')
  provider.answer = accepted
  const before = provider.handed.length
  await sendAll(db.pool, provider)
  expect(provider.handed).toHaveLength(40)
  expect(new Set(provider.handed.slice(before).map(({ mailboxId }) => mailboxId)).size).toBe(MAILBOXES)
  expect(await mailboxesOf(campaign)).toEqual([{ status: 'CONNECTED', minutes: null, reason: null }])
  expect(
    (await db.pool.query('SELECT FROM burning_domains WHERE workspace_id = $1', [campaign.workspaceId])).rows,
  ).toEqual([])
})

test('however many claim at one moment, they get one email for the whole domain', async () => {
  const campaign = await makeMany()
  provider.answer = () => UNKNOWN
  await sendAll(db.pool, provider, { connections: 1 })
  await db.travel('1 minute')
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, index) => claimNext(db.pool, { worker: `worker-${index}`, leaseMs: 60_000 }, 5)),
  )
  const claimed = claims.flatMap((claim) => (claim.kind === 'claimed' ? claim.emails : []))
  expect(claimed).toHaveLength(1)
  expect(await statusesOf(db.pool, campaign.campaignId)).toMatchObject({ SENDING: 1 })
})

test('an ordinary answer to any of its mailboxes begins the count anew, and another domain or workspace has its own', async () => {
  const [one, other] = [await makeMany(), await makeMany()]
  await db.pool.query(`UPDATE mailboxes SET address = id || '@beta.test' WHERE id = ANY($1::uuid[])`, [
    one.mailboxIds.slice(0, 4),
  ])
  const healthy = new Set([...one.mailboxIds.slice(0, 4), ...other.mailboxIds])
  provider.answer = (handed, count) => (healthy.has(handed.mailboxId) ? accepted(handed, count) : BLOCKED)
  await sendAll(db.pool, provider, { connections: 1 })
  expect(await mailboxesOf(other)).toEqual([{ status: 'CONNECTED', minutes: null, reason: null }])
  expect(await statusesOf(db.pool, other.campaignId)).toEqual({ SENT: 40 })
  expect(await statusesOf(db.pool, one.campaignId)).toEqual({ SENT: 20, PERMANENTLY_FAILED: 5, SCHEDULED: 15 })

  const third = await makeMany()
  // Four go wrong, one goes well, over and over: no five in a row.
  provider.answer = (handed, count) => (count % 5 === 0 ? accepted(handed, count) : BLOCKED)
  provider.handed.splice(0)
  await sendAll(db.pool, provider, { connections: 1 })
  expect(await statusesOf(db.pool, third.campaignId)).toEqual({ SENT: 8, PERMANENTLY_FAILED: 32 })
})

test('a run of one mailbox alone is its own matter, and stops no other of its domain', async () => {
  const campaign = await makeMany()
  const [bad = ''] = campaign.mailboxIds
  await db.pool.query(
    `UPDATE scheduled_emails SET ready_at = app_now() + interval '10 minutes' WHERE campaign_id = $1 AND mailbox_id <> $2`,
    [campaign.campaignId, bad],
  )
  await db.pool.query('UPDATE scheduled_emails SET mailbox_id = $2 WHERE id = $1', [campaign.emails[1]?.id, bad])
  await db.pool.query('UPDATE scheduled_emails SET ready_at = app_now() WHERE id = $1', [campaign.emails[1]?.id])
  provider.answer = (handed, count) => (handed.mailboxId === bad ? BLOCKED : accepted(handed, count))
  await sendAll(db.pool, provider, { connections: 1, time: DUE_NOW })
  expect(provider.handed.filter(({ mailboxId }) => mailboxId === bad)).toHaveLength(BURNED_MAX)
  const { rows } = await db.pool.query<{ paused: number }>(
    'SELECT count(*)::int AS paused FROM mailboxes WHERE workspace_id = $1 AND fault_until > app_now()',
    [campaign.workspaceId],
  )
  expect(rows).toEqual([{ paused: 1 }])
  await db.travel('10 minutes')
  await sendAll(db.pool, provider, { connections: 1 })
  const sent = provider.handed.filter(({ mailboxId }) => mailboxId !== bad)
  expect(sent).toHaveLength(34)
})

test('a mailbox that a person has reconnected has its tries again', async () => {
  const campaign = await makeMany()
  const [first = ''] = campaign.mailboxIds
  provider.answer = () => BLOCKED
  for (const pause of ['0', '1 minute', '5 minutes', '15 minutes']) {
    await db.travel(pause)
    await sendAll(db.pool, provider, { connections: 1 })
  }
  const burned = provider.handed.length
  const person = { id: newId(), email: 'olga@acme.test' }
  await inTransaction(db.pool, (tx) => reconnectMailbox(tx, campaign.workspaceId, first, person))
  await sendAll(db.pool, provider, { connections: 1 })
  expect(provider.handed).toHaveLength(burned + 1)
  const { rows } = await db.pool.query('SELECT status FROM mailboxes WHERE id = $1', [first])
  expect(rows).toEqual([{ status: 'CONNECTED' }])
  await db.travel('1 minute')
  provider.answer = accepted
  await sendAll(db.pool, provider, { connections: 1 })
  expect(provider.handed.slice(burned + 1).every(({ mailboxId }) => mailboxId === first)).toBe(true)
  expect(provider.handed.length).toBeGreaterThan(burned + 2)
})
