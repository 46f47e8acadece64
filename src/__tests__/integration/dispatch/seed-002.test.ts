import pino from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { readMetrics } from '#lib/operations/metrics.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { BrokerSender } from '#lib/worker/send-by-broker.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { RecordingBroker } from '#tests/support/dispatch/recording-broker.ts'
import { meansThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

/**
 * User Story 2, "Automated Retry Scheduler for Failed Emails (DB-driven) with RabbitMQ Re-queueing", item by item and in
 * its own words. FAILED with a NextAttemptAt is RETRY_SCHEDULED here, Dead is PERMANENTLY_FAILED, LockedUntil is
 * lease_until, the scheduler is the finding role of every worker. RabbitMQ itself is in brokers.test.ts; here stands a
 * broker that writes down what it was given.
 */
const db = testDatabase()
let provider: TestProvider
let broker: RecordingBroker
beforeEach(async () => {
  provider = new TestProvider()
  broker = new RecordingBroker()
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
})

const DEFAULT_BACKOFF_SECONDS = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400]

const BUSY: Refused = { kind: 'retry', scope: 'recipient', code: 'GREYLISTED', reason: 'Come back later.' }
const GONE: Refused = { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'We do not want it.' }

const schedule = (settings: Record<string, unknown> = { retry_policy: 'PATIENT' }, prospects = 1) =>
  makeDueCampaign(db.pool, {
    prospects,
    settings: { daily_quota: 1_000, jitter_min_seconds: 0, jitter_max_seconds: 0, ...settings },
  })

function scheduler(worker = 'scheduler-1', log = silent): BrokerSender {
  const limits = { connections: 3, leaseMs: 60_000, submitMsMax: 10_000, beginning: new Deadline(60_000) }
  return new BrokerSender(db.pool, worker, log, meansThrough(db.pool, provider), limits, async () => broker)
}

/** One interval of the scheduler, with the sender behind the queue. */
async function interval(one = scheduler(), worker = 'scheduler-1', msMax = 2_000) {
  return runTick(db.pool, worker, silent, { sending: { sender: one, time: new Deadline(msMax), endsWithTick: true } })
}

type Row = {
  status: string
  attempts: number
  lastError: string | null
  code: string | null
  seconds: number | null
  isLocked: boolean
}

async function rowOf({ campaignId }: DueCampaign): Promise<Row | undefined> {
  const { rows } = await db.pool.query<Row>(
    `SELECT status, attempts, last_error AS "lastError", last_error_code AS code,
       round(extract(epoch FROM next_retry_at - updated_at))::int AS seconds, lease_until IS NOT NULL AS "isLocked"
     FROM scheduled_emails WHERE campaign_id = $1`,
    [campaignId],
  )
  return rows[0]
}

const publishedOf = ({ emails }: DueCampaign) => broker.published.filter(({ emailId }) => emailId === emails[0]?.id)

describe('1) failure state is recorded', () => {
  test('Status, AttemptCount + 1, LastError, NextAttemptAt = NOW + Backoff(AttemptCount), LockedUntil cleared', async () => {
    provider.answer = () => BUSY
    const campaign = await schedule()
    await interval()
    expect(await rowOf(campaign)).toEqual({
      ...{ status: 'RETRY_SCHEDULED', attempts: 1, lastError: 'Come back later.', code: 'GREYLISTED' },
      ...{ seconds: 60, isLocked: false },
    })
  })

  test('permanent failures are not retried', async () => {
    provider.answer = () => GONE
    const campaign = await schedule()
    await interval()
    expect(await rowOf(campaign)).toMatchObject({ status: 'PERMANENTLY_FAILED', attempts: 1, seconds: null })
    await db.travel('25 hours')
    await interval()
    expect(publishedOf(campaign)).toHaveLength(1)
  })
})

describe('2) the retry scheduler loop', () => {
  test('step A: selects only what is failed, due, below MaxAttempts and not locked', async () => {
    provider.answer = () => BUSY
    const due = await schedule()
    const dead = await schedule({ retry_policy: 'CUSTOM', retry_delays_seconds: [] })
    await interval()
    expect(await rowOf(dead)).toMatchObject({ status: 'PERMANENTLY_FAILED' })
    await db.travel('61 seconds')
    const early = await schedule()
    const locked = await schedule()
    await interval(scheduler('another'), 'another')
    // Failed just now: its time has not come. And claimed by a scheduler that says nothing more.
    await db.travel('61 seconds')
    const claim = await claimNext(db.pool, { worker: forBroker('silent'), leaseMs: 60_000 }, 1, {
      only: locked.mailboxIds,
    })
    expect(claim.kind).toBe('claimed')
    broker.published.length = 0
    await db.pool.query(
      `UPDATE scheduled_emails SET ready_at = app_now() + interval '1 hour', next_retry_at = app_now() + interval '1 hour' WHERE campaign_id = $1`,
      [early.campaignId],
    )
    await db.travel('4 minutes')
    await db.pool.query(
      `UPDATE scheduled_emails SET lease_until = app_now() + interval '1 hour' WHERE campaign_id = $1`,
      [locked.campaignId],
    )
    await interval()
    expect(broker.published.map(({ emailId }) => emailId)).toEqual(due.emails.map(({ id }) => id))
  })

  test('step A: picks what is due by an index, without a full table scan', async () => {
    const { rows } = await db.pool.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE tablename = 'scheduled_emails' AND indexname = 'scheduled_emails_due_idx'`,
    )
    expect(rows[0]?.indexdef).toMatch(/\(mailbox_id, campaign_id, ready_at\).*WHERE.*RETRY_SCHEDULED/s)
  })

  test('step B: many schedulers at once never publish the same email twice for the same attempt window', async () => {
    provider.answer = () => BUSY
    const campaign = await schedule({ retry_policy: 'PATIENT' }, 60)
    for (const attempt of [1, 2, 3]) {
      broker.published.length = 0
      await Promise.all([1, 2, 3, 4].map((number) => interval(scheduler(`s-${number}`), `s-${number}`, 30_000)))
      const ids = broker.published.map(({ emailId }) => emailId)
      expect(ids).toHaveLength(60)
      expect(new Set(ids).size).toBe(60)
      const { rows } = await db.pool.query('SELECT DISTINCT attempts FROM scheduled_emails WHERE campaign_id = $1', [
        campaign.campaignId,
      ])
      expect(rows).toEqual([{ attempts: attempt }])
      await db.travel('16 minutes')
    }
  })

  test('step C: publishes EmailId and MessageKey, and the lease by which the email is found', async () => {
    provider.answer = (_, count) => (count === 1 ? BUSY : { kind: 'accepted', messageId: '<1@acme.test>' })
    const campaign = await schedule()
    await interval()
    await db.travel('61 seconds')
    await interval()
    const [email] = campaign.emails
    const key = `${email?.prospectId}:${campaign.sequenceId}:1`
    expect(publishedOf(campaign)).toEqual([
      { kind: 'email', emailId: email?.id, key, leaseToken: 1 },
      { kind: 'email', emailId: email?.id, key, leaseToken: 2 },
    ])
    expect(await rowOf(campaign)).toMatchObject({ status: 'SENT' })
  })

  test('step D: stays locked until the sender takes it, and free again where that never happens', async () => {
    const campaign = await schedule()
    broker.deliver = () => undefined
    const one = scheduler()
    await one.claimDue({ time: new Deadline(300), mayMoreCome: async () => true })
    expect(publishedOf(campaign)).toHaveLength(1)
    expect(await rowOf(campaign)).toMatchObject({ status: 'SENDING', isLocked: true, attempts: 0 })
    await db.travel('61 seconds')
    await interval(scheduler('scheduler-2'), 'scheduler-2')
    expect(publishedOf(campaign)).toHaveLength(2)
  })
})

describe('3) exhausted retries', () => {
  test('by default 8 retries after 1m, 5m, 15m, 1h, 3h, 6h, 12h, 24h; then Dead, with its reason and LastError kept', async () => {
    provider.answer = () => BUSY
    const campaign = await schedule()
    const waited: (number | null | undefined)[] = []
    for (const seconds of DEFAULT_BACKOFF_SECONDS) {
      await interval()
      waited.push((await rowOf(campaign))?.seconds)
      await db.travel(`${seconds - 30} seconds`)
      const before = broker.published.length
      await interval()
      expect(broker.published).toHaveLength(before)
      await db.travel('31 seconds')
    }
    expect(waited).toEqual(DEFAULT_BACKOFF_SECONDS)
    const { dead } = await interval()
    expect(dead).toBe(1)
    expect(await rowOf(campaign)).toMatchObject({
      ...{
        status: 'PERMANENTLY_FAILED',
        attempts: 9,
        lastError: 'Come back later.',
        code: 'GREYLISTED',
        seconds: null,
      },
    })
    await db.travel('48 hours')
    await interval()
    expect(publishedOf(campaign)).toHaveLength(9)
  })

  test('MaxAttempts and BackoffSchedule are configurable', async () => {
    provider.answer = () => BUSY
    const campaign = await schedule({ retry_policy: 'CUSTOM', retry_delays_seconds: [30, 86_400] })
    await interval()
    expect(await rowOf(campaign)).toMatchObject({ status: 'RETRY_SCHEDULED', seconds: 30 })
    await db.travel('31 seconds')
    await interval()
    expect(await rowOf(campaign)).toMatchObject({ status: 'RETRY_SCHEDULED', seconds: 86_400 })
    await db.travel('86401 seconds')
    await interval()
    expect(await rowOf(campaign)).toMatchObject({ status: 'PERMANENTLY_FAILED', attempts: 3 })
  })
})

describe('reliability and observability', () => {
  test('publish failures lose no retry: it keeps its state, its count and its time', async () => {
    provider.answer = (_, count) => (count === 1 ? BUSY : { kind: 'accepted', messageId: '<1@acme.test>' })
    const campaign = await schedule()
    await interval()
    await db.travel('61 seconds')
    broker.takesNothing = true
    const { unpublished } = await interval()
    expect(unpublished).toBeGreaterThan(0)
    expect(await rowOf(campaign)).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: 1, isLocked: false })
    broker.takesNothing = false
    // Another process: everything it needs to know is in the database.
    await interval(scheduler('after the restart'), 'after the restart')
    expect(await rowOf(campaign)).toMatchObject({ status: 'SENT', attempts: 2 })
  })

  test('logs of every scheduling action EmailId, AttemptCount, NextAttemptAt, and whether it was published or why not', async () => {
    provider.answer = () => BUSY
    const campaign = await schedule()
    await interval()
    await db.travel('61 seconds')
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    broker.takesNothing = true
    await interval(scheduler('logging', log), 'logging')
    broker.takesNothing = false
    await interval(scheduler('logging', log), 'logging')
    const emailId = campaign.emails[0]?.id
    const decided = { emailId, attempts: 1, nextRetryAt: expect.stringMatching(/^\d{4}-/) }
    expect(lines).toContainEqual(
      expect.objectContaining({ ...decided, msg: 'not published', reason: 'broker-unreachable' }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ ...decided, msg: 'published' }))
  })

  test('metrics: due retries, re-queued, dead', async () => {
    provider.answer = () => BUSY
    const campaign = await schedule({ retry_policy: 'CUSTOM', retry_delays_seconds: [60] }, 3)
    await interval()
    await db.travel('61 seconds')
    expect(await readMetrics(db.pool)).toMatch(/^sendonce_due_retries 3$/m)
    await interval(scheduler('counted'), 'counted')
    const metrics = await readMetrics(db.pool)
    expect(metrics).toMatch(/^sendonce_due_retries 0$/m)
    expect(metrics).toMatch(/^sendonce_last_tick\{worker="counted",what="republished"\} 3$/m)
    expect(metrics).toMatch(/^sendonce_last_tick\{worker="counted",what="dead"\} 3$/m)
    expect(metrics).toMatch(/^sendonce_emails\{status="PERMANENTLY_FAILED"\} [1-9]/m)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ PERMANENTLY_FAILED: 3 })
  })
})
