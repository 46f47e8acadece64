import { beforeEach, describe, expect, test } from 'vitest'
import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { type ReleaseTo, release } from '#lib/email-scheduler/send/release.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import type { Settlement } from '#lib/email-scheduler/send/settlement.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { dismiss } from '#lib/email-scheduler/verbs/dismiss.ts'
import { assumeDelivered, sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { restore } from '#lib/email-scheduler/verbs/restore.ts'
import { retryFailed } from '#lib/email-scheduler/verbs/retry.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { claimDue, makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const BY = { worker: 'worker-1', leaseMs: 60_000 }
const SUBMIT_MS = 20_000
let campaign: TestCampaign

beforeEach(async () => {
  campaign = await makeCampaign(db.pool)
})

const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: '<1@acme.test>', threadId: 'thread-1' }
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer came.' }
const REJECTED: Refused = {
  kind: 'rejected',
  scope: 'recipient',
  code: 'INVALID_RECIPIENT',
  reason: 'The address does not exist.',
  providerText: '550 5.1.1 no such user',
}
const LATER: Refused = {
  kind: 'retry',
  scope: 'domain',
  code: 'GREYLISTED',
  reason: 'The server asks to come back later.',
}

async function one(steps = 1): Promise<[string, ...string[]]> {
  const [first, ...others] = await makeEmails(db.pool, campaign, 1, steps)
  if (!first) throw new Error('no email was made')
  return [first.id, ...others.map(({ id }) => id)]
}

async function claimOne(id: string): Promise<ClaimedEmail> {
  const [claimed] = await claimByIds(db.pool, [id], BY)
  if (!claimed) throw new Error('it could not be claimed')
  return claimed
}

async function claimAndMark(id: string): Promise<ClaimedEmail> {
  const claimed = await claimOne(id)
  const [answer] = await mark(db.pool, [claimed], SUBMIT_MS)
  expect(answer?.answer).toBe('marked')
  return claimed
}

const settleOne = async (settlement: Settlement) => (await inTransaction(db.pool, (tx) => settle(tx, [settlement])))[0]

async function attempt(id: string, outcome: SendOutcome) {
  return settleOne({ ...(await claimAndMark(id)), marked: true, outcome })
}

const rowOf = async (id: string) =>
  (await db.pool.query('SELECT * FROM scheduled_emails WHERE id = $1', [id])).rows[0] as Record<string, unknown>
const attemptsOf = async (id: string) =>
  (await db.pool.query('SELECT * FROM email_attempts WHERE email_id = $1 ORDER BY lease_token', [id])).rows as Record<
    string,
    unknown
  >[]
const eventsOf = async (id: string) =>
  (await db.pool.query('SELECT from_status, to_status, reason FROM email_events WHERE email_id = $1 ORDER BY id', [id]))
    .rows as Record<string, unknown>[]
const person = <T>(verb: (tx: Parameters<Parameters<typeof inTransaction>[1]>[0]) => Promise<T>) =>
  inTransaction(db.pool, verb)

test('an accepted email keeps who sent it, when, and under which ids', async () => {
  const [id] = await one()
  const claimed = await claimAndMark(id)
  const receipt = { window: 'open' }
  expect(await settleOne({ ...claimed, marked: true, outcome: ACCEPTED, receipt })).toEqual({
    id,
    leaseToken: 1,
    answer: 'settled',
    status: 'SENT',
  })
  expect(await rowOf(id)).toMatchObject({
    status: 'SENT',
    message_id: '<1@acme.test>',
    thread_id: 'thread-1',
    accepted_token: 1,
    attempts: 1,
    last_error: null,
  })
  expect(await attemptsOf(id)).toMatchObject([
    {
      number: 1,
      worker: 'worker-1',
      outcome: 'ACCEPTED',
      started_at: claimed.claimedAt,
      receipt,
      message_id: '<1@acme.test>',
    },
  ])
  expect(await eventsOf(id)).toEqual([])
})

test('hundreds are claimed, marked and settled in a statement each', async () => {
  await makeEmails(db.pool, campaign, 500)
  const claimed = await claimDue(db.pool, campaign, 500, BY)
  const marks = await mark(db.pool, claimed, SUBMIT_MS)
  expect(marks.filter(({ answer }) => answer === 'marked')).toHaveLength(500)
  const answers = await inTransaction(db.pool, (tx) =>
    settle(
      tx,
      claimed.map((email, index) => ({
        ...email,
        marked: true,
        outcome: [ACCEPTED, LATER, REJECTED, UNKNOWN][index % 4] ?? ACCEPTED,
      })),
    ),
  )
  const counts = Object.groupBy(answers, ({ status }) => status ?? 'SCHEDULED')
  expect(Object.fromEntries(Object.entries(counts).map(([status, list]) => [status, list?.length]))).toEqual({
    SENT: 125,
    RETRY_SCHEDULED: 125,
    PERMANENTLY_FAILED: 125,
    OUTCOME_UNKNOWN: 125,
  })
})

test('three retries after 1, 5 and 15 minutes, then a person decides', async () => {
  const [id, second] = await one(2)
  for (const [minutes, travel] of [
    [1, '61 seconds'],
    [5, '301 seconds'],
    [15, '901 seconds'],
  ] as const) {
    expect(await attempt(id, LATER)).toMatchObject({ status: 'RETRY_SCHEDULED' })
    const waits = ((await rowOf(id)).next_retry_at as Date).getTime() - (await appNow(db.pool)).getTime()
    expect(waits).toBeGreaterThan(minutes * 60_000 - 5_000)
    expect(waits).toBeLessThanOrEqual(minutes * 60_000)
    expect(await claimByIds(db.pool, [id], BY)).toEqual([])
    await db.travel(travel)
  }
  expect(await attempt(id, LATER)).toMatchObject({ status: 'PERMANENTLY_FAILED' })
  expect(await rowOf(id)).toMatchObject({ attempts: 4, last_error_code: 'GREYLISTED' })
  expect((await attemptsOf(id)).map(({ number, outcome }) => [number, outcome])).toEqual([
    [1, 'RETRY'],
    [2, 'RETRY'],
    [3, 'RETRY'],
    [4, 'RETRY'],
  ])
  expect(await eventsOf(id)).toEqual([
    ...Array.from({ length: 3 }, () => ({ from_status: 'FAILED', to_status: 'RETRY_SCHEDULED', reason: 'GREYLISTED' })),
    { from_status: 'FAILED', to_status: 'PERMANENTLY_FAILED', reason: 'GREYLISTED' },
  ])
  expect(await rowOf(second ?? '')).toMatchObject({ status: 'CANCELLED', cancel_reason: 'PREDECESSOR_FAILED' })

  const [retried] = await person((tx) => retryFailed(tx, campaign.workspaceId, [id]))
  expect(retried).toEqual({ id, answer: 'done', status: 'RETRY_SCHEDULED' })
  expect(await rowOf(id)).toMatchObject({ attempts: 0, last_error: null })
  expect(await rowOf(second ?? '')).toMatchObject({ status: 'SCHEDULED', ready_at: null })
  expect(await attempt(id, ACCEPTED)).toMatchObject({ status: 'SENT' })
  expect((await attemptsOf(id)).at(-1)).toMatchObject({ number: 1, lease_token: 5 })
})

test('what no retry cures fails at once, in plain words and in the provider’s own', async () => {
  const [id] = await one()
  expect(await attempt(id, REJECTED)).toMatchObject({ status: 'PERMANENTLY_FAILED' })
  expect(await rowOf(id)).toMatchObject({
    last_error: 'The address does not exist.',
    last_error_code: 'INVALID_RECIPIENT',
  })
  expect(await attemptsOf(id)).toMatchObject([
    { outcome: 'REJECTED', error_class: 'recipient', provider_text: '550 5.1.1 no such user' },
  ])
})

test('a provider’s "try after" is honoured when it is later than the policy’s', async () => {
  const [id] = await one()
  const notBefore = new Date((await appNow(db.pool)).getTime() + 3_600_000)
  await attempt(id, { ...LATER, notBefore })
  expect(await rowOf(id)).toMatchObject({ next_retry_at: notBefore, ready_at: notBefore })
})

test('a workspace may have a list of its own', async () => {
  await db.pool.query(
    `UPDATE sending_settings SET retry_policy = 'CUSTOM', retry_delays_seconds = '{}' WHERE workspace_id = $1`,
    [campaign.workspaceId],
  )
  const [id] = await one()
  expect(await attempt(id, LATER)).toMatchObject({ status: 'PERMANENTLY_FAILED' })
})

test('settling again says that it is settled, and changes nothing', async () => {
  const [id] = await one()
  const claimed = await claimAndMark(id)
  const settlement = { ...claimed, marked: true, outcome: LATER }
  await settleOne(settlement)
  const before = await rowOf(id)
  expect(await settleOne(settlement)).toMatchObject({ answer: 'already-settled', status: 'RETRY_SCHEDULED' })
  expect(await rowOf(id)).toEqual(before)
  expect(await attemptsOf(id)).toHaveLength(1)
})

test('one who never marked does not settle what another is submitting', async () => {
  const [id] = await one()
  const claimed = await claimAndMark(id)
  expect(await settleOne({ ...claimed, marked: false, outcome: LATER })).toMatchObject({ answer: 'lost-lease' })
  const [given] = await inTransaction(db.pool, (tx) =>
    release(tx, [{ ...claimed, code: 'out-of-time', to: { kind: 'as-it-was' } }]),
  )
  expect(given).toEqual({ id, answer: 'lost-lease' })
  expect(await rowOf(id)).toMatchObject({ status: 'SENDING' })
})

test('a mark needs a lease that outlives the submit', async () => {
  const [id] = await one()
  const claimed = await claimOne(id)
  await db.travel('45 seconds')
  expect(await mark(db.pool, [claimed], SUBMIT_MS)).toEqual([{ id, answer: 'lease-too-short' }])
  expect(await mark(db.pool, [{ ...claimed, leaseToken: 7 }], SUBMIT_MS)).toEqual([{ id, answer: 'lost-lease' }])
})

describe('a worker that is lost', () => {
  test('before the mark leaves nothing behind: the email waits again, and no attempt is counted', async () => {
    const [id] = await one()
    await claimOne(id)
    await db.travel('2 minutes')
    await inTransaction(db.pool, (tx) => recover(tx, 100))
    expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED', attempts: 0 })
    expect(await attemptsOf(id)).toMatchObject([
      { outcome: 'RELEASED', error_code: 'LEASE_EXPIRED', worker: 'worker-1' },
    ])
    expect(await claimByIds(db.pool, [id], BY)).toMatchObject([{ leaseToken: 2 }])
  })

  test('after the mark leaves it unknown, not queued again', async () => {
    const [id] = await one()
    await claimAndMark(id)
    await db.travel('2 minutes')
    await inTransaction(db.pool, (tx) => recover(tx, 100))
    expect(await rowOf(id)).toMatchObject({ status: 'OUTCOME_UNKNOWN', last_error_code: 'LEASE_EXPIRED' })
    await db.travel('10 days')
    expect(await claimByIds(db.pool, [id], BY)).toEqual([])
    expect(await claimDue(db.pool, campaign, 10, BY)).toEqual([])
  })

  test('and comes back with an acceptance: it is sent, from the moment it was handed over', async () => {
    const [id] = await one()
    const claimed = await claimAndMark(id)
    await db.travel('2 minutes')
    await inTransaction(db.pool, (tx) => recover(tx, 100))
    expect(await settleOne({ ...claimed, marked: true, outcome: ACCEPTED })).toMatchObject({
      answer: 'late',
      status: 'SENT',
    })
    const { submit_started_at: handedOver } = await rowOf(id)
    expect(await rowOf(id)).toMatchObject({
      status: 'SENT',
      sent_at: handedOver,
      message_id: '<1@acme.test>',
      last_error: null,
    })
    expect(await attemptsOf(id)).toMatchObject([
      { outcome: 'UNKNOWN', evidence: 'ACCEPTED', message_id: '<1@acme.test>' },
    ])
    expect(await eventsOf(id)).toEqual([
      { from_status: 'OUTCOME_UNKNOWN', to_status: 'SENT', reason: 'ACCEPTED_AFTER_ALL' },
    ])
  })

  test('and comes back with a refusal: it is proven unsent, and tried again', async () => {
    const [id] = await one()
    const claimed = await claimAndMark(id)
    await db.travel('2 minutes')
    await inTransaction(db.pool, (tx) => recover(tx, 100))
    expect(await settleOne({ ...claimed, marked: true, outcome: LATER })).toMatchObject({
      answer: 'late',
      status: 'RETRY_SCHEDULED',
    })
    expect(await rowOf(id)).toMatchObject({ attempts: 1, last_error_code: 'GREYLISTED' })
  })
})

test('an acceptance that comes after a person chose to send again stops the second sending', async () => {
  const [id] = await one()
  const first = await claimAndMark(id)
  await settleOne({ ...first, marked: true, outcome: UNKNOWN })
  const again = () => person((tx) => sendAgain(tx, campaign.workspaceId, [id], 5 * 60_000))
  expect(await again()).toMatchObject([{ answer: 'too-early', status: 'OUTCOME_UNKNOWN' }])
  await db.travel('6 minutes')
  expect(await again()).toMatchObject([{ answer: 'done', status: 'RETRY_SCHEDULED' }])
  const second = await claimOne(id)
  expect(await settleOne({ ...first, marked: true, outcome: ACCEPTED })).toMatchObject({
    answer: 'late',
    status: 'SENDING',
  })
  expect(await mark(db.pool, [second], SUBMIT_MS)).toEqual([{ id, answer: 'already-accepted' }])
  const [released] = await inTransaction(db.pool, (tx) =>
    release(tx, [{ ...second, code: 'already-accepted', to: { kind: 'as-it-was' } }]),
  )
  expect(released).toEqual({ id, answer: 'released', status: 'SENT' })
})

test('an unknown that was dismissed is sent once evidence says so', async () => {
  const [id, second] = await one(2)
  const claimed = await claimAndMark(id)
  await settleOne({ ...claimed, marked: true, outcome: UNKNOWN })
  expect(await person((tx) => dismiss(tx, campaign.workspaceId, [id]))).toMatchObject([
    { answer: 'done', status: 'CANCELLED' },
  ])
  expect(await rowOf(second ?? '')).toMatchObject({ status: 'CANCELLED', cancel_reason: 'PREDECESSOR_CANCELLED' })
  expect(await person((tx) => restore(tx, campaign.workspaceId, [id]))).toMatchObject([{ answer: 'was-handed-over' }])
  expect(await settleOne({ ...claimed, marked: true, outcome: ACCEPTED })).toMatchObject({
    answer: 'late',
    status: 'SENT',
  })
})

test('an unknown that a person took as delivered counts from when it was handed over', async () => {
  const [id] = await one()
  await attempt(id, UNKNOWN)
  expect(await person((tx) => assumeDelivered(tx, campaign.workspaceId, [id]))).toMatchObject([
    { answer: 'done', status: 'SENT' },
  ])
  const row = await rowOf(id)
  expect(row.sent_at).toEqual(row.submit_started_at)
  expect(await eventsOf(id)).toMatchObject([{ to_status: 'SENT', reason: 'ASSUMED_DELIVERED' }])
})

test('what was taken as delivered learns the thread it went out in, and stays as it is', async () => {
  const [id] = await one()
  const claimed = await claimAndMark(id)
  await settleOne({ ...claimed, marked: true, outcome: UNKNOWN })
  await person((tx) => assumeDelivered(tx, campaign.workspaceId, [id]))
  const before = await rowOf(id)
  expect(await settleOne({ ...claimed, marked: true, outcome: ACCEPTED })).toMatchObject({
    answer: 'late',
    status: 'SENT',
  })
  expect(await rowOf(id)).toMatchObject({ sent_at: before.sent_at, message_id: '<1@acme.test>', thread_id: 'thread-1' })
})

test('an acceptance after it failed for good and was dismissed: it is sent after all, and nothing is to be retried', async () => {
  const [id] = await one()
  const first = await claimAndMark(id)
  await settleOne({ ...first, marked: true, outcome: UNKNOWN })
  await db.travel('6 minutes')
  await person((tx) => sendAgain(tx, campaign.workspaceId, [id], 5 * 60_000))
  await attempt(id, REJECTED)
  await person((tx) => dismiss(tx, campaign.workspaceId, [id]))
  expect(await settleOne({ ...first, marked: true, outcome: ACCEPTED })).toMatchObject({
    answer: 'late',
    status: 'SENT',
  })
  expect(await person((tx) => retryFailed(tx, campaign.workspaceId, [id]))).toMatchObject([{ answer: 'not-possible' }])
})

test('a late refusal says nothing about the attempt after it, which is unknown as well', async () => {
  const [id] = await one()
  const first = await claimAndMark(id)
  await settleOne({ ...first, marked: true, outcome: UNKNOWN })
  await db.travel('6 minutes')
  await person((tx) => sendAgain(tx, campaign.workspaceId, [id], 5 * 60_000))
  await attempt(id, UNKNOWN)
  expect(await settleOne({ ...first, marked: true, outcome: LATER })).toMatchObject({
    answer: 'late',
    status: 'OUTCOME_UNKNOWN',
  })
})

test('answers to two attempts of one email may come in one call', async () => {
  const [id] = await one()
  const first = await claimAndMark(id)
  await settleOne({ ...first, marked: true, outcome: UNKNOWN })
  await db.travel('6 minutes')
  await person((tx) => sendAgain(tx, campaign.workspaceId, [id], 5 * 60_000))
  const second = await claimAndMark(id)
  const answers = await inTransaction(db.pool, (tx) =>
    settle(tx, [
      { ...first, marked: true, outcome: REJECTED },
      { ...second, marked: true, outcome: LATER },
    ]),
  )
  expect(answers).toMatchObject([
    { leaseToken: 1, answer: 'late' },
    { leaseToken: 2, answer: 'settled', status: 'RETRY_SCHEDULED' },
  ])
  expect(await attemptsOf(id)).toMatchObject([{ evidence: 'REJECTED' }, { outcome: 'RETRY', evidence: null }])
})

test('a failed email that was dismissed keeps its state and its key, and can be brought back', async () => {
  const [id] = await one()
  await attempt(id, REJECTED)
  const dismissal = () => person((tx) => dismiss(tx, campaign.workspaceId, [id]))
  expect(await dismissal()).toMatchObject([{ answer: 'done', status: 'PERMANENTLY_FAILED' }])
  expect((await rowOf(id)).dismissed_at).toBeInstanceOf(Date)
  expect(await dismissal()).toMatchObject([{ answer: 'not-possible' }])
  expect(await person((tx) => restore(tx, campaign.workspaceId, [id]))).toMatchObject([{ answer: 'done' }])
  expect(await rowOf(id)).toMatchObject({ status: 'PERMANENTLY_FAILED', dismissed_at: null })
})

describe('a release takes an email', () => {
  const releaseTo = async (id: string, to: ReleaseTo) => {
    const claimed = await claimOne(id)
    const [answer] = await inTransaction(db.pool, (tx) => release(tx, [{ ...claimed, code: 'out-of-time', to }]))
    return answer
  }
  test('back to where it came from', async () => {
    const [id] = await one()
    const { ready_at: readyAt } = await rowOf(id)
    expect(await releaseTo(id, { kind: 'as-it-was' })).toMatchObject({ status: 'SCHEDULED' })
    expect(await rowOf(id)).toMatchObject({ ready_at: readyAt, attempts: 0 })
  })
  test('back to its retry', async () => {
    const [id] = await one()
    await attempt(id, LATER)
    await db.travel('2 minutes')
    const { next_retry_at: retryAt } = await rowOf(id)
    expect(await releaseTo(id, { kind: 'as-it-was' })).toMatchObject({ status: 'RETRY_SCHEDULED' })
    expect(await rowOf(id)).toMatchObject({ next_retry_at: retryAt, attempts: 1 })
  })
  test('to a later time', async () => {
    const [id] = await one()
    const readyAt = new Date((await appNow(db.pool)).getTime() + 60_000)
    await releaseTo(id, { kind: 'later', readyAt })
    expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED', ready_at: readyAt })
  })
  test('to where it waits for a cure, out of every claim’s sight', async () => {
    const [id] = await one()
    await releaseTo(id, { kind: 'parked', blocker: 'merge-fields-complete' })
    expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED', blocker: 'merge-fields-complete', ready_at: null })
    expect(await claimByIds(db.pool, [id], BY)).toEqual([])
  })
  test('out of the queue, where a guard refused it for good', async () => {
    const [id, second] = await one(2)
    expect(await releaseTo(id, { kind: 'cancelled', reason: 'SUPPRESSED' })).toMatchObject({ status: 'CANCELLED' })
    expect(await eventsOf(id)).toEqual([{ from_status: 'SENDING', to_status: 'CANCELLED', reason: 'SUPPRESSED' }])
    expect(await rowOf(second ?? '')).toMatchObject({ cancel_reason: 'PREDECESSOR_CANCELLED' })
  })
})

describe('cancelling and taking it back', () => {
  test('takes the later steps along, both ways', async () => {
    const [first, ...later] = await one(3)
    expect(await person((tx) => cancel(tx, campaign.workspaceId, [first]))).toMatchObject([{ answer: 'done' }])
    for (const id of later) expect(await rowOf(id)).toMatchObject({ cancel_reason: 'PREDECESSOR_CANCELLED' })
    const [secondId = ''] = later
    expect(await person((tx) => restore(tx, campaign.workspaceId, [secondId]))).toMatchObject([
      { answer: 'predecessor-not-coming' },
    ])
    expect(await person((tx) => restore(tx, campaign.workspaceId, [first]))).toMatchObject([{ answer: 'done' }])
    const { scheduled_for: plannedFor } = await rowOf(first)
    expect(await rowOf(first)).toMatchObject({ status: 'SCHEDULED', ready_at: plannedFor })
    for (const id of later) expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED', ready_at: null })
  })

  test('a step behind one that stays cancelled is not revived', async () => {
    const [first, second = '', third = ''] = await one(3)
    await person((tx) => cancel(tx, campaign.workspaceId, [second]))
    await person((tx) => cancel(tx, campaign.workspaceId, [first]))
    await person((tx) => restore(tx, campaign.workspaceId, [first]))
    expect(await rowOf(second)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'BY_PERSON' })
    expect(await rowOf(third)).toMatchObject({ status: 'CANCELLED' })
  })

  test('not in a campaign that was stopped, and not for a person who left', async () => {
    const [id] = await one()
    await person((tx) => cancel(tx, campaign.workspaceId, [id]))
    const { prospect_id: prospectId } = await rowOf(id)
    await db.pool.query('UPDATE prospects SET replied_at = app_now() WHERE id = $1', [prospectId])
    expect(await person((tx) => restore(tx, campaign.workspaceId, [id]))).toMatchObject([{ answer: 'prospect-left' }])
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaign.campaignId])
    expect(await person((tx) => restore(tx, campaign.workspaceId, [id]))).toMatchObject([
      { answer: 'campaign-stopped' },
    ])
  })
})

test('another workspace’s emails are not found', async () => {
  const [id] = await one()
  const stranger = newId()
  const verbs = [cancel, restore, dismiss, assumeDelivered, retryFailed]
  for (const verb of verbs)
    expect(await person((tx) => verb(tx, stranger, [id]))).toEqual([{ id, answer: 'not-found' }])
  expect(await person((tx) => sendAgain(tx, stranger, [id], 0))).toEqual([{ id, answer: 'not-found' }])
  expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED' })
})

test('an email without a campaign lives by the same rules', async () => {
  const id = newId()
  await db.pool.query(
    `INSERT INTO scheduled_emails (id, workspace_id, kind, mailbox_id, idempotency_key, scheduled_for, local_date, ready_at, updated_at)
     VALUES ($1, $2, 'TRANSACTIONAL', $3, 'tx:' || $2::uuid || ':' || repeat('a', 64), app_now(), '2026-01-01', app_now(), app_now())`,
    [id, campaign.workspaceId, campaign.mailboxId],
  )
  expect(await attempt(id, LATER)).toMatchObject({ status: 'RETRY_SCHEDULED' })
  const waits = ((await rowOf(id)).next_retry_at as Date).getTime() - (await appNow(db.pool)).getTime()
  expect(waits).toBeLessThanOrEqual(30_000)
  await person((tx) => cancel(tx, campaign.workspaceId, [id]))
  expect(await person((tx) => restore(tx, campaign.workspaceId, [id]))).toMatchObject([{ answer: 'was-handed-over' }])
})
