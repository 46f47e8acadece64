import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { meansThrough, sendAll, sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let provider: TestProvider
beforeEach(() => {
  provider = new TestProvider()
})
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`))

const BURNED_MAX = 5
const IN_FLIGHT = 2
const accepted: TestProvider['answer'] = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })

async function mailboxOf({ mailboxIds }: DueCampaign) {
  const { rows } = await db.pool.query<{ status: string; minutes: number | null; reason: string | null }>(
    `SELECT status, round(extract(epoch FROM fault_until - app_now()) / 60)::int AS minutes, coalesce(stopped_reason, pause_reason) AS reason
     FROM mailboxes WHERE id = $1`,
    [mailboxIds[0]],
  )
  return rows[0]
}
const attemptsOf = async ({ campaignId }: DueCampaign) => {
  const { rows } = await db.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id WHERE e.campaign_id = $1',
    [campaignId],
  )
  return rows[0]?.count ?? 0
}

const WAYS: Record<string, { outcome: SendOutcome; says: RegExp }> = {
  'nothing is answered after the hand-over': {
    outcome: { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' },
    says: /handed over and never answered/,
  },
  'everything is refused as from a blocked address': {
    outcome: { kind: 'rejected', scope: 'domain', code: 'POLICY_REFUSED', reason: '554 blocklisted' },
    says: /refused by policy/,
  },
  'every recipient is refused': {
    outcome: { kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' },
    says: /recipients were refused one after the other/,
  },
}

describe.each(Object.entries(WAYS))('%s', (_, { outcome, says }) => {
  test('the mailbox pauses after a few, tries one at a time, and stops before it has burned its campaign', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 30 })
    provider.answer = () => outcome
    await sendAll(db.pool, provider, { connections: IN_FLIGHT })
    const burned = provider.handed.length
    expect(burned).toBeGreaterThanOrEqual(BURNED_MAX)
    expect(burned).toBeLessThan(BURNED_MAX + IN_FLIGHT)
    expect(await mailboxOf(campaign)).toMatchObject({
      status: 'CONNECTED',
      minutes: 1,
      reason: expect.stringMatching(says),
    })
    for (const [index, pause] of ['1 minute', '5 minutes', '15 minutes'].entries()) {
      await db.travel(pause)
      await sendAll(db.pool, provider, { connections: IN_FLIGHT })
      expect(provider.handed).toHaveLength(burned + index + 1)
    }
    expect(await mailboxOf(campaign)).toMatchObject({ status: 'STOPPED', reason: expect.stringMatching(says) })
    expect(await statusesOf(db.pool, campaign.campaignId)).toMatchObject({ SCHEDULED: 30 - burned - 3 })
  })

  test('one that goes well in between ends the run, and what pauses goes on as before', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 24 })
    provider.answer = (handed, count) => (count % 4 === 0 ? accepted(handed, count) : outcome)
    await sendAll(db.pool, provider, { connections: 1 })
    expect(provider.handed).toHaveLength(24)
    expect(await mailboxOf(campaign)).toMatchObject({ status: 'CONNECTED', minutes: null, reason: null })
  })
})

test('a mailbox that paused and whose server works again sends with all connections, and its next fault is a first one', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 30 })
  provider.answer = () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' })
  await sendAll(db.pool, provider, { connections: 1 })
  await db.travel('1 minute')
  provider.answer = accepted
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ OUTCOME_UNKNOWN: 5, SENT: 25 })
  expect(await mailboxOf(campaign)).toEqual({ status: 'CONNECTED', minutes: null, reason: null })
})

test('a server that takes the login and refuses the sender for now makes the mailbox pause longer each time, and no email pays', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
  provider.answer = () => ({ kind: 'retry', scope: 'mailbox', code: 'TEMPORARY_FAILURE', reason: '452 no space' })
  for (const minutes of [1, 5, 15]) {
    await sendAll(db.pool, provider, { connections: 1 })
    expect(await mailboxOf(campaign)).toMatchObject({ minutes, reason: '452 no space' })
    await db.travel(`${minutes} minutes`)
  }
  const { rows } = await db.pool.query('SELECT DISTINCT attempts FROM scheduled_emails WHERE campaign_id = $1', [
    campaign.campaignId,
  ])
  expect(rows).toEqual([{ attempts: 0 }])
  provider.answer = accepted
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 3 })
})

test('a worker that is told to stop while it connects blames no server: the mailbox does not pause, and its emails go back', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
  const stopping = new AbortController()
  provider.connects = () => {
    stopping.abort()
    return { kind: 'retry', scope: 'mailbox', code: 'ETIMEDOUT', reason: 'It did not answer.' }
  }
  const { sender, time } = sendingThrough(db.pool, provider, meansThrough(db.pool, provider), {
    beginning: { leftMs: () => (stopping.signal.aborted ? 0 : 10_000) },
  })
  await sender.claimDue({ time, signal: stopping.signal })
  await sender.drain()
  expect(stopping.signal.aborted).toBe(true)
  expect(await mailboxOf(campaign)).toEqual({ status: 'CONNECTED', minutes: null, reason: null })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 3 })
})

test('a worker that stood still while it connected blames no server: the mailbox does not pause, and its emails go out', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
  let tries = 0
  provider.connects = () => {
    tries += 1
    return tries > 1
      ? undefined
      : { kind: 'retry', scope: 'mailbox', code: 'WORKER_STALLED', reason: 'It stood still.' }
  }
  await sendAll(db.pool, provider)
  expect(await mailboxOf(campaign)).toEqual({ status: 'CONNECTED', minutes: null, reason: null })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 3 })
  expect(await attemptsOf(campaign)).toBeLessThanOrEqual(6)
})

describe('a worker that cannot prepare', () => {
  const unreadable = {
    kind: 'retry',
    scope: 'mailbox',
    code: 'CREDENTIAL_UNREADABLE',
    reason: 'The key that signs for acme.test cannot be read.',
  } as const

  test('gives all back, lets the mailbox rest with a fault that is shown, and writes few attempts', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 40 })
    const means = meansThrough(db.pool, provider)
    const broken = {
      ...means,
      prepare: async (emails: Parameters<typeof means.prepare>[0]) =>
        emails.map((email) => ({ kind: 'impossible' as const, email, outcome: unreadable })),
    }
    for (const wait of ['1 minute', '5 minutes', '15 minutes', '15 minutes']) {
      await sendAll(db.pool, provider, { means: broken })
      expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 40 })
      expect(await mailboxOf(campaign)).toMatchObject({ status: 'CONNECTED', reason: unreadable.reason })
      await db.travel(wait)
    }
    expect(await attemptsOf(campaign)).toBeLessThanOrEqual(8)
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 40 })
  })

  test('one email that breaks it uses up its own retries, and the others of the mailbox go out', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 12 })
    const poison = campaign.emails[0]?.id
    const means = meansThrough(db.pool, provider)
    const breaking = {
      ...means,
      prepare: async (emails: Parameters<typeof means.prepare>[0]) => {
        if (emails.some(({ id }) => id === poison)) throw new Error('a bug in rendering')
        return means.prepare(emails, 'SMTP')
      },
    }
    for (const wait of ['1 minute', '5 minutes', '15 minutes', '15 minutes', '15 minutes']) {
      await sendAll(db.pool, provider, { means: breaking })
      await db.travel(wait)
    }
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ PERMANENTLY_FAILED: 1, SENT: 11 })
  })
})
