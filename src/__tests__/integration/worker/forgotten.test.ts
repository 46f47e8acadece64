import { beforeEach, expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { release } from '#lib/email-scheduler/send/release.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** After a failover: workers that remember what the new primary does not. */
const db = testDatabase()
const OLD = { worker: 'old-worker', leaseMs: 60_000 }
const NEW = { worker: 'new-worker', leaseMs: 60_000 }
const SUBMIT_MS = 10_000
const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: '<1@acme.test>' }
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }

let campaign: TestCampaign
let id: string

beforeEach(async () => {
  campaign = await makeCampaign(db.pool)
  id = (await makeEmails(db.pool, campaign, 1, 2)).find(({ stepNumber }) => stepNumber === 1)?.id ?? ''
})

const tx = <T>(work: (sql: Sql) => Promise<T>) => inTransaction(db.pool, work)

async function claimed(by: typeof OLD): Promise<ClaimedEmail> {
  const [email] = await claimByIds(db.pool, [id], by)
  if (!email) throw new Error('it could not be claimed')
  return email
}

/** What the old primary committed and never passed on. */
async function lost<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await db.pool.connect()
  await client.query('BEGIN')
  const result = await work(client)
  await client.query('ROLLBACK')
  client.release()
  return result
}

const claimedInVain = () =>
  lost(async (sql) => {
    const [email] = await claimByIds(sql, [id], OLD)
    if (!email) throw new Error('it could not be claimed')
    expect(await mark(sql, [email], SUBMIT_MS)).toMatchObject([{ answer: 'marked' }])
    return email
  })

const answered = async (email: ClaimedEmail, outcome: SendOutcome) =>
  (await tx((sql) => settle(sql, [{ ...email, marked: true, outcome }])))[0]

async function rowOf() {
  const { rows } = await db.pool.query(
    'SELECT status, accepted_token IS NOT NULL AS accepted FROM scheduled_emails WHERE id = $1',
    [id],
  )
  return rows[0]
}

async function attemptsOf() {
  const { rows } = await db.pool.query(
    'SELECT worker, outcome FROM email_attempts WHERE email_id = $1 ORDER BY lease_token',
    [id],
  )
  return rows
}

test('an acceptance of a claim that the new primary never saw: the email is sent, and its follow-up waits for it', async () => {
  const forgotten = await claimedInVain()
  expect(await rowOf()).toMatchObject({ status: 'SCHEDULED' })
  expect(await answered(forgotten, ACCEPTED)).toMatchObject({ answer: 'late', status: 'SENT' })
  expect(await rowOf()).toEqual({ status: 'SENT', accepted: true })
  expect(await attemptsOf()).toEqual([{ worker: 'old-worker', outcome: 'ACCEPTED' }])
  // Said twice, it is known.
  expect(await answered(forgotten, ACCEPTED)).toMatchObject({ status: 'SENT' })
  expect(await attemptsOf()).toHaveLength(1)
})

test('an unknown outcome of it leaves the email unknown, and not waiting', async () => {
  expect(await answered(await claimedInVain(), UNKNOWN)).toMatchObject({ status: 'OUTCOME_UNKNOWN' })
  expect(await rowOf()).toEqual({ status: 'OUTCOME_UNKNOWN', accepted: false })
})

test('an old worker’s token 1 is not the new worker’s: it marks, settles and releases nothing of theirs', async () => {
  const forgotten = await claimedInVain()
  const theirs = await claimed(NEW)
  expect(theirs.leaseToken).toBe(forgotten.leaseToken)
  expect(await mark(db.pool, [forgotten], SUBMIT_MS)).toEqual([{ id, answer: 'lost-lease' }])
  const given = { ...forgotten, code: 'out-of-time' as const, to: { kind: 'as-it-was' as const } }
  expect(await tx((sql) => release(sql, [given]))).toEqual([{ id, answer: 'lost-lease' }])
  const refusal: SendOutcome = { kind: 'retry', scope: 'message', code: 'TEMPORARY_FAILURE', reason: 'Later.' }
  expect(await answered(forgotten, refusal)).toMatchObject({ answer: 'lost-lease' })
  expect(await rowOf()).toMatchObject({ status: 'SENDING' })
  expect(await mark(db.pool, [theirs], SUBMIT_MS)).toMatchObject([{ answer: 'marked' }])
})

test('an acceptance takes the email from a new worker that has not marked it yet', async () => {
  const forgotten = await claimedInVain()
  const theirs = await claimed(NEW)
  expect(await answered(forgotten, ACCEPTED)).toMatchObject({ status: 'SENT' })
  expect(await mark(db.pool, [theirs], SUBMIT_MS)).toEqual([{ id, answer: 'lost-lease' }])
})

test('where the new worker has marked it as well, both attempts are in the history', async () => {
  const forgotten = await claimedInVain()
  const theirs = await claimed(NEW)
  await mark(db.pool, [theirs], SUBMIT_MS)
  expect(await answered(forgotten, ACCEPTED)).toMatchObject({ answer: 'late', status: 'SENT' })
  expect(await answered(theirs, ACCEPTED)).toMatchObject({ status: 'SENT' })
  expect(await attemptsOf()).toEqual([
    { worker: 'old-worker', outcome: 'ACCEPTED' },
    { worker: 'new-worker', outcome: 'ACCEPTED' },
  ])
})

test('where the claim was kept and only the mark forgotten, an acceptance counts also after recovery', async () => {
  const email = await claimed(OLD)
  await lost((sql) => mark(sql, [email], SUBMIT_MS))
  await db.travel('2 minutes')
  await tx((sql) => recover(sql, 1_000))
  expect(await rowOf()).toMatchObject({ status: 'SCHEDULED' })
  expect(await answered(email, ACCEPTED)).toMatchObject({ status: 'SENT' })
})

test('an acceptance counts as well where the email was cancelled since', async () => {
  const forgotten = await claimedInVain()
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL WHERE id = $1`,
    [id],
  )
  expect(await answered(forgotten, ACCEPTED)).toMatchObject({ status: 'SENT' })
  expect(await rowOf()).toEqual({ status: 'SENT', accepted: true })
})

const REJECTED: SendOutcome = { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'No.' }

test.each([
  ['unknown', UNKNOWN, 'OUTCOME_UNKNOWN'],
  ['refused for good', REJECTED, 'PERMANENTLY_FAILED'],
])('an acceptance counts as well where a later attempt is %s', async (_, outcome, status) => {
  const forgotten = await claimedInVain()
  const theirs = await claimed(NEW)
  await mark(db.pool, [theirs], SUBMIT_MS)
  expect(await answered(theirs, outcome)).toMatchObject({ status })
  expect(await answered(forgotten, ACCEPTED)).toMatchObject({ answer: 'late', status: 'SENT' })
  expect(await rowOf()).toEqual({ status: 'SENT', accepted: true })
})

test.each([
  ['a refusal', { kind: 'retry', scope: 'message', code: 'TEMPORARY_FAILURE', reason: 'Later.' }],
  ['a mark that was not answered', { kind: 'retry', scope: 'message', code: 'NOT_HANDED_OVER', reason: 'Not sent.' }],
  ['a refusal for good', REJECTED],
] satisfies [string, SendOutcome][])(
  '%s of an old worker’s token 1 proves nothing about the new worker’s, whose outcome is unknown',
  async (_, outcome) => {
    const forgotten = await claimedInVain()
    const theirs = await claimed(NEW)
    await mark(db.pool, [theirs], SUBMIT_MS)
    expect(await answered(theirs, UNKNOWN)).toMatchObject({ status: 'OUTCOME_UNKNOWN' })
    expect(await answered(forgotten, outcome)).toEqual({ id, leaseToken: 1, answer: 'lost-lease' })
    expect(await rowOf()).toEqual({ status: 'OUTCOME_UNKNOWN', accepted: false })
    // And their own answer, should it still come, counts.
    expect(await answered(theirs, outcome)).toMatchObject({ answer: 'late' })
  },
)
