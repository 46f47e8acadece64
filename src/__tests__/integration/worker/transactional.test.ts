import { beforeEach, expect, test } from 'vitest'
import { generateTransactionalKey } from '#lib/email-scheduler/idempotency.ts'
import { readEmail } from '#lib/email-scheduler/read/read-email.ts'
import { explainWhyNotNow } from '#lib/email-scheduler/read/why-not-now.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark } from '#lib/email-scheduler/send/final-check.ts'
import { lookForNextDue } from '#lib/email-scheduler/send/next-due.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { readMetrics } from '#lib/operations/metrics.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeDueCampaign, makeEmails } from '#tests/support/data/emails.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { DUE_NOW, sendAll, TestProvider, testHasherIn } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** Emails of no campaign, enrolment, prospect or sequence take the same way as all others. */
const db = testDatabase()
const BY = { worker: 'worker-1', leaseMs: 60_000 }

let workspaceId: string
let mailboxIds: string[]
let provider: TestProvider

beforeEach(async () => {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
  await db.pool.query(`UPDATE mailboxes SET status = 'ARCHIVED'`)
  // Never open, and with a pause: what they do not wait for.
  const settings = { sending_days: [], jitter_min_seconds: 60, jitter_max_seconds: 60 }
  ;({ workspaceId, mailboxIds } = await makeWorkspace(db.pool, { mailboxes: 1, settings, limits: { dailyLimit: 100 } }))
  provider = new TestProvider()
})

/** As its call stores it: rendered and frozen, and due at once. */
async function addTransactional(to = 'zoe@example.test'): Promise<string> {
  const id = newId()
  await db.pool.query(
    `INSERT INTO scheduled_emails (id, workspace_id, kind, mailbox_id, idempotency_key, scheduled_for, local_date, ready_at, content_token, updated_at)
     VALUES ($1, $2, 'TRANSACTIONAL', $3, $4, app_now(), '2026-01-01', app_now(), 0, app_now())`,
    [id, workspaceId, mailboxIds[0], generateTransactionalKey(workspaceId, id)],
  )
  await db.pool.query(
    `INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject, body_text, body_html,
       message_id, date, headers) VALUES ($1, 0, $2, 'Acme', 'ann@acme.test', '', $3, 'Your code', '123', '', $4, app_now(), '{}')`,
    [id, workspaceId, to, `<${id}@acme.test>`],
  )
  return id
}

async function emailOf(id: string) {
  const { rows } = await db.pool.query(
    'SELECT status, cancel_reason AS reason, attempts FROM scheduled_emails WHERE id = $1',
    [id],
  )
  return rows[0]
}

test('the metrics count it, and how long it has been due', async () => {
  const sample = async (name: string) =>
    Number(
      (await readMetrics(db.pool))
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  const names = ['sendonce_emails{status="SCHEDULED"}', 'sendonce_due_emails']
  const before = await Promise.all(names.map(sample))
  const id = await addTransactional()
  await db.pool.query(`UPDATE scheduled_emails SET ready_at = app_now() - interval '1 day' WHERE id = $1`, [id])
  expect(await Promise.all(names.map(sample))).toEqual(before.map((count) => count + 1))
  expect(await sample('sendonce_oldest_due_seconds')).toBeGreaterThanOrEqual(86_400)
})

test('it is claimed, marked, handed over and settled: outside the window, with no pause between two', async () => {
  const ids = [await addTransactional(), await addTransactional()]
  expect((await lookForNextDue(db.pool, [])).ms).toBeLessThanOrEqual(0)
  expect(await sendAll(db.pool, provider)).toMatchObject({ sent: 2 })
  expect(provider.handed.map(({ emailId }) => emailId).sort()).toEqual(ids.toSorted())
  for (const id of ids) expect(await emailOf(id)).toMatchObject({ status: 'SENT' })
  const { rows } = await db.pool.query('SELECT sum(reserved)::int AS used FROM mailbox_days WHERE mailbox_id = $1', [
    mailboxIds[0],
  ])
  expect(rows).toEqual([{ used: 2 }])
})

test('a refusal is retried by its own policy, half a minute later', async () => {
  const id = await addTransactional()
  const refused = { kind: 'retry', scope: 'recipient', code: 'GREYLISTED', reason: 'Come back later.' } as const
  provider.answer = (_, count) => (count === 1 ? refused : { kind: 'accepted', messageId: '<a@acme.test>' })
  await sendAll(db.pool, provider)
  expect(await emailOf(id)).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: 1 })
  await db.travel('31 seconds')
  await sendAll(db.pool, provider)
  expect(await emailOf(id)).toMatchObject({ status: 'SENT' })
})

test('a claim that was lost is recovered: unmarked it waits again, marked it is unknown, and an answer still counts', async () => {
  const id = await addTransactional()
  const claim = async () => {
    const claimed = await claimNext(db.pool, BY, 1)
    if (claimed.kind !== 'claimed' || !claimed.emails[0]) throw new Error('nothing was claimed')
    return claimed.emails[0]
  }
  const recovered = async () => {
    await db.travel('2 minutes')
    await inTransaction(db.pool, (tx) => recover(tx, 100))
    return (await emailOf(id)).status
  }
  await claim()
  expect(await recovered()).toBe('SCHEDULED')
  const email = await claim()
  const content = { to: { name: '', address: 'zoe@example.test' } }
  const { marked } = await checkAndMark(
    db.pool,
    email.mailboxId,
    workspaceId,
    [{ email, content: { ...CONTENT, ...content }, origin: { kind: 'frozen', mayHaveArrived: false } }],
    10_000,
  )
  expect(marked).toHaveLength(1)
  expect(await recovered()).toBe('OUTCOME_UNKNOWN')
  const outcome = { kind: 'accepted', messageId: '<a@acme.test>' } as const
  await inTransaction(db.pool, (tx) => settle(tx, [{ ...email, marked: true, outcome }]))
  expect(await emailOf(id)).toMatchObject({ status: 'SENT' })
})

test('an address that bounced gets nothing, one that was suppressed for campaigns does', async () => {
  const suppress = (value: string, source: string) =>
    db.pool.query(
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source) VALUES ($1, $2, 'ADDRESS', $3, $4, $5)`,
      [newId(), workspaceId, value, Buffer.from(value), source],
    )
  await suppress('gone@example.test', 'BOUNCE')
  await suppress('left@example.test', 'UNSUBSCRIBE')
  const [gone, left] = [await addTransactional('gone@example.test'), await addTransactional('left@example.test')]
  await sendAll(db.pool, provider)
  expect(await emailOf(gone)).toMatchObject({ status: 'CANCELLED', reason: 'SUPPRESSED' })
  expect(await emailOf(left)).toMatchObject({ status: 'SENT' })
})

test('an address that does not exist is suppressed by the bounce, and a person who has it here is bounced with it', async () => {
  provider.answer = () => ({ kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' })
  const [person = ''] = await makeProspects(db.pool, workspaceId, 1)
  await db.pool.query(`UPDATE prospects SET email = 'kim@example.test' WHERE id = $1`, [person])
  const campaign = await makeCampaign(db.pool, { in: { workspaceId, mailboxIds } })
  const [waiting] = await makeEmails(db.pool, campaign, [person])
  for (const to of ['nobody@example.test', 'kim@example.test'])
    expect((await emailOf(await bounceOff(to))).status).toBe('PERMANENTLY_FAILED')
  const { rows } = await db.pool.query(
    'SELECT value, source, value_hash AS hash FROM suppressions WHERE workspace_id = $1 ORDER BY value',
    [workspaceId],
  )
  const hash = await testHasherIn(db.pool, workspaceId)
  const { rows: people } = await db.pool.query(
    'SELECT email_hash AS hash, bounced_at IS NOT NULL AS bounced FROM prospects WHERE id = $1',
    [person],
  )
  expect(rows).toEqual([
    { value: 'kim@example.test', source: 'BOUNCE', hash: people[0]?.hash },
    { value: 'nobody@example.test', source: 'BOUNCE', hash: hash('nobody@example.test') },
  ])
  expect(people[0]?.bounced).toBe(true)
  expect(await emailOf(waiting?.id ?? '')).toMatchObject({ status: 'CANCELLED', reason: 'PROSPECT_BOUNCED' })

  provider.handed.splice(0)
  provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
  const again = await addTransactional('nobody@example.test')
  const why = await explainWhyNotNow(db.pool, workspaceId, again)
  expect(why).toMatchObject({ kind: 'waiting', firstFeasible: null, blockers: [{ name: 'not-suppressed' }] })
  await sendAll(db.pool, provider)
  expect(provider.handed).toEqual([])
  expect(await emailOf(again)).toMatchObject({ status: 'CANCELLED', reason: 'SUPPRESSED' })
})

async function bounceOff(address: string): Promise<string> {
  const id = await addTransactional(address)
  await sendAll(db.pool, provider, { time: DUE_NOW })
  return id
}

test('why it has not gone out yet is told of it as of any other, by the guards that hold for it', async () => {
  const id = await addTransactional()
  const explain = () => explainWhyNotNow(db.pool, workspaceId, id)
  // Neither the window that never opens nor the pause keeps it.
  expect(await explain()).toMatchObject({ kind: 'waiting', blockers: [], firstFeasible: expect.any(Date) })
  expect(await explainWhyNotNow(db.pool, newId(), id)).toEqual({ kind: 'not-found' })
  await db.pool.query(
    `UPDATE mailboxes SET fault_until = app_now() + interval '5 minutes', pause_reason = 'Its server is away.' WHERE id = $1`,
    mailboxIds,
  )
  const paused = await explain()
  expect(paused).toMatchObject({ kind: 'waiting', blockers: [{ name: 'mailbox-not-deferred' }] })
  const { rows } = await db.pool.query('SELECT fault_until AS until FROM mailboxes WHERE id = $1', mailboxIds)
  expect(paused).toMatchObject({ firstFeasible: rows[0]?.until })
  const { whyNotNow } = await readEmail(db.pool, workspaceId, id, 60_000)
  expect(whyNotNow?.blockers.map(({ sentence }) => sentence).join()).toContain('Its server is away.')

  await db.travel('5 minutes')
  provider.answer = () => ({ kind: 'retry', scope: 'recipient', code: 'GREYLISTED', reason: 'Come back later.' })
  await sendAll(db.pool, provider, { time: DUE_NOW })
  expect(await explain()).toMatchObject({ kind: 'waiting', blockers: [{ name: 'retry-time' }] })
  await db.travel('31 seconds')
  provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
  await sendAll(db.pool, provider, { time: DUE_NOW })
  expect(await explain()).toEqual({ kind: 'not-waiting', status: 'SENT' })
})

test('it passes a campaign’s emails, which go on waiting for their window', async () => {
  const { campaignId } = await makeDueCampaign(db.pool, { in: { workspaceId, mailboxIds }, prospects: 3 })
  const id = await addTransactional()
  expect(await sendAll(db.pool, provider, { time: DUE_NOW })).toMatchObject({ sent: 1 })
  expect(await emailOf(id)).toMatchObject({ status: 'SENT' })
  const { rows } = await db.pool.query('SELECT DISTINCT status FROM scheduled_emails WHERE campaign_id = $1', [
    campaignId,
  ])
  expect(rows).toEqual([{ status: 'SCHEDULED' }])
})

const CONTENT = {
  from: { name: 'Acme', address: 'ann@acme.test' },
  subject: 'Your code',
  text: '123',
  html: '',
  messageId: '<a@acme.test>',
  date: new Date('2026-11-18T10:00:00Z'),
  headers: {},
}
