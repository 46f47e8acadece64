import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import { eraseTraces } from '#lib/email-scheduler/effects/erase-traces.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { dismiss } from '#lib/email-scheduler/verbs/dismiss.ts'
import { sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { retryFailed } from '#lib/email-scheduler/verbs/retry.ts'
import { GUARDS } from '#lib/guardrails/guards.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let provider: TestProvider
beforeEach(() => {
  provider = new TestProvider()
})
// All tests share a database, and a worker sends what is due in any workspace.
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`))

const rowsOf = async <T extends object>(sql: string, values: unknown[]) => (await db.pool.query<T>(sql, values)).rows
const emailsOf = ({ campaignId }: DueCampaign) =>
  rowsOf<Record<string, unknown> & { id: string }>(
    'SELECT * FROM scheduled_emails WHERE campaign_id = $1 ORDER BY id',
    [campaignId],
  )
const reservedOf = async ({ workspaceId }: DueCampaign) => {
  const [row] = await rowsOf<{ workspace: number; mailboxes: number }>(
    `SELECT (SELECT coalesce(sum(reserved), 0)::int FROM workspace_days WHERE workspace_id = $1) AS workspace,
       (SELECT coalesce(sum(d.reserved), 0)::int FROM mailbox_days d JOIN mailboxes m ON m.id = d.mailbox_id WHERE m.workspace_id = $1) AS mailboxes`,
    [workspaceId],
  )
  return row
}
const REFUSED: Refused = { kind: 'retry', scope: 'message', code: 'TEMPORARY_FAILURE', reason: 'Later.' }

test('what is due goes out once, and the row, its attempt, its frozen copy and the quota say so', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 12 })
  expect(await sendAll(db.pool, provider)).toMatchObject({ due: 12, sent: 12 })
  expect(await sendAll(db.pool, provider)).toMatchObject({ due: 0, sent: 0 })
  expect(new Set(provider.handed.map(({ emailId }) => emailId)).size).toBe(12)
  expect(provider.handed).toHaveLength(12)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 12 })
  expect(await reservedOf(campaign)).toEqual({ workspace: 12, mailboxes: 12 })
  const kept = await rowsOf<{ subject: string; receipt: Record<string, string>; outcome: string }>(
    `SELECT c.subject, a.receipt, a.outcome FROM scheduled_emails e JOIN email_attempts a ON a.email_id = e.id
     JOIN email_contents c ON c.email_id = e.id AND c.content_token = e.content_token WHERE e.campaign_id = $1`,
    [campaign.campaignId],
  )
  expect(kept).toHaveLength(12)
  expect(kept[0]).toMatchObject({ subject: 'Step 1', outcome: 'ACCEPTED' })
  expect(Object.keys(kept[0]?.receipt ?? {})).toHaveLength(GUARDS.length)
  expect(new Set(Object.values(kept[0]?.receipt ?? {}))).toEqual(new Set(['ok']))
})

test('no more are in flight than there are connections, from however many workers', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 60, mailboxes: 3 })
  provider.answer = async ({ message }) => {
    await new Promise((done) => setTimeout(done, 5))
    return { kind: 'accepted', messageId: message.messageId }
  }
  const workers = ['a', 'b', 'c', 'd'].map((worker) => sendAll(db.pool, provider, { worker, connections: 3 }))
  const counts = await Promise.all(workers)
  expect(counts.reduce((sum, { sent }) => sum + sent, 0)).toBe(60)
  expect(provider.handed).toHaveLength(60)
  expect(provider.mostInFlight).toBeLessThanOrEqual(12)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 60 })
})

describe('quotas', () => {
  test('the workspace’s is whole, whatever number of mailboxes and workers race for the last places', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 120, mailboxes: 6, settings: { daily_quota: 37 } })
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((worker) => sendAll(db.pool, provider, { worker, connections: 4 })),
    )
    expect(provider.handed).toHaveLength(37)
    expect(await reservedOf(campaign)).toEqual({ workspace: 37, mailboxes: 37 })
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 37, SCHEDULED: 83 })
  })

  test('a mailbox’s daily limit and its rolling 24 hours hold, and each opens again', async () => {
    const daily = await makeDueCampaign(db.pool, { prospects: 9, limits: { dailyLimit: 4 } })
    const rolling = await makeDueCampaign(db.pool, { prospects: 9, limits: { rollingLimit: 3 } })
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, daily.campaignId)).toEqual({ SENT: 4, SCHEDULED: 5 })
    expect(await statusesOf(db.pool, rolling.campaignId)).toEqual({ SENT: 3, SCHEDULED: 6 })
    await db.travel('24 hours 1 minute')
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, daily.campaignId)).toEqual({ SENT: 8, SCHEDULED: 1 })
    expect(await statusesOf(db.pool, rolling.campaignId)).toEqual({ SENT: 6, SCHEDULED: 3 })
  })

  test('an unknown email that was dismissed stays in the rolling 24 hours', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 4, limits: { rollingLimit: 2 } })
    provider.answer = () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' })
    await sendAll(db.pool, provider)
    const ids = campaign.emails.map(({ id }) => id)
    await inTransaction(db.pool, (tx) => dismiss(tx, campaign.workspaceId, ids))
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ CANCELLED: 2, SCHEDULED: 2 })
    await db.travel('24 hours 1 minute')
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ CANCELLED: 2, OUTCOME_UNKNOWN: 2 })
  })

  test('warming up allows its start value on the first date that sends, and the increment more on the next', async () => {
    const campaign = await makeDueCampaign(db.pool, {
      prospects: 20,
      settings: { ramp_up_enabled: true, ramp_up_start: 3, ramp_up_increment: 2 },
    })
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 3, SCHEDULED: 17 })
    await db.travel('24 hours')
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 8, SCHEDULED: 12 })
  })

  test('a definite refusal gives its place back, an unknown outcome keeps it', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 4 })
    provider.answer = (_, count) =>
      count <= 3 ? REFUSED : { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ RETRY_SCHEDULED: 3, OUTCOME_UNKNOWN: 1 })
    expect(await reservedOf(campaign)).toEqual({ workspace: 1, mailboxes: 1 })
  })
})

test('half a million due emails of one campaign delay ten of another by about ten', async () => {
  const large = await makeDueCampaign(db.pool, { prospects: 400 })
  const small = await makeDueCampaign(db.pool, { in: large, prospects: 10 })
  const theirs = new Set(small.emails.map(({ id }) => id))
  await sendAll(db.pool, provider, { connections: 4 })
  const last = provider.handed.findLastIndex(({ emailId }) => theirs.has(emailId))
  expect(provider.handed.filter(({ emailId }) => theirs.has(emailId))).toHaveLength(10)
  expect(last).toBeLessThan(30)
})

test('a mailbox with much to do does not delay another', async () => {
  const large = await makeDueCampaign(db.pool, { prospects: 300 })
  const small = await makeDueCampaign(db.pool, { prospects: 10 })
  await sendAll(db.pool, provider, { connections: 5 })
  const mailboxId = small.mailboxIds[0]
  expect(provider.handed.findLastIndex((handed) => handed.mailboxId === mailboxId)).toBeLessThan(40)
  expect(provider.handed).toHaveLength(310)
  expect(large.mailboxIds).not.toContain(mailboxId)
})

test('between two emails of a mailbox lie the second one’s seconds, with one in flight at a time, from any number of workers', async () => {
  const campaign = await makeDueCampaign(db.pool, {
    prospects: 4,
    settings: { jitter_min_seconds: 1, jitter_max_seconds: 1 },
  })
  await db.pool.query('UPDATE scheduled_emails SET jitter_seconds = 1 WHERE campaign_id = $1', [campaign.campaignId])
  const workers = ['a', 'b', 'c'].map((worker) => sendAll(db.pool, provider, { worker, claimMsMax: 5_000 }))
  await Promise.all(workers)
  const sent = await rowsOf<{ gap: number | null }>(
    `SELECT extract(epoch FROM submit_started_at - lag(submit_started_at) OVER (ORDER BY submit_started_at))::float8 AS gap
     FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SENT'`,
    [campaign.campaignId],
  )
  expect(sent).toHaveLength(4)
  expect(provider.mostInFlight).toBe(1)
  expect(sent.filter(({ gap }) => gap !== null && gap < 1)).toEqual([])
})

describe('the final check', () => {
  test('nothing is marked after a pause was answered, and what waits is as it was', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 200 })
    let answeredAt: Date | undefined
    provider.answer = async ({ message }, count) => {
      if (count === 20)
        void inTransaction(db.pool, (tx) => pauseCampaign(tx, campaign.workspaceId, campaign.campaignId, actor)).then(
          async () => {
            answeredAt = (await rowsOf<{ now: Date }>('SELECT app_now() AS now', []))[0]?.now
          },
        )
      await new Promise((done) => setTimeout(done, 2))
      return { kind: 'accepted', messageId: message.messageId }
    }
    await sendAll(db.pool, provider)
    const late = await rowsOf('SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND submit_started_at > $2', [
      campaign.campaignId,
      answeredAt,
    ])
    expect(answeredAt).toBeDefined()
    expect(late).toEqual([])
    const statuses = await statusesOf(db.pool, campaign.campaignId)
    expect(Object.keys(statuses).sort()).toEqual(['SCHEDULED', 'SENT'])
    expect(statuses.SENT).toBe(provider.handed.length)
  })

  test.each([
    [
      'unsubscribed',
      `UPDATE prospects SET unsubscribed_at = app_now() WHERE id = $1`,
      { status: 'CANCELLED', cancel_reason: 'PROSPECT_UNSUBSCRIBED' },
    ],
    [
      'paused',
      `UPDATE prospects SET paused_at = app_now() WHERE id = $1`,
      { status: 'SCHEDULED', blocker: 'prospect-active', ready_at: null },
    ],
    [
      'suppressed',
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source)
       SELECT gen_random_uuid(), workspace_id, 'ADDRESS', email, email_hash, 'PERSON' FROM prospects WHERE id = $1`,
      { status: 'CANCELLED', cancel_reason: 'SUPPRESSED' },
    ],
  ])('an email to a person who was %s after it was planned is not handed over', async (_, sql, expected) => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
    await db.pool.query(sql, [campaign.emails[0]?.prospectId])
    await sendAll(db.pool, provider)
    expect(provider.handed).toEqual([])
    expect(await emailsOf(campaign)).toMatchObject([expected])
    expect(await reservedOf(campaign)).toEqual({ workspace: 0, mailboxes: 0 })
  })

  test('nothing leaves while the window is closed', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
    await db.pool.query(
      `UPDATE sending_settings SET days_off = ARRAY(SELECT (app_now() + i * interval '1 day')::date FROM generate_series(-1, 1) i) WHERE workspace_id = $1`,
      [campaign.workspaceId],
    )
    expect(await sendAll(db.pool, provider)).toMatchObject({ due: 0 })
    expect(provider.handed).toEqual([])
  })
})

describe('failures', () => {
  test('a refusal is tried again after 1, 5 and 15 minutes, with the very same message, and then a person decides', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 1, delays: [0, 1] })
    const [first] = campaign.emails
    provider.answer = () => REFUSED
    for (const wait of ['1 minute', '5 minutes', '15 minutes']) {
      await sendAll(db.pool, provider)
      await sendAll(db.pool, provider)
      await db.pool.query(`UPDATE prospects SET custom_fields = '{"note":"changed"}' WHERE id = $1`, [
        first?.prospectId,
      ])
      await db.travel(wait)
    }
    await sendAll(db.pool, provider)
    expect(provider.handed).toHaveLength(4)
    expect(new Set(provider.handed.map(({ message }) => message.raw.toString()))).toEqual(new Set(['Step 1\n\nHello']))
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ PERMANENTLY_FAILED: 1, CANCELLED: 1 })

    await inTransaction(db.pool, (tx) => retryFailed(tx, campaign.workspaceId, [first?.id ?? '']))
    provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
    await sendAll(db.pool, provider)
    expect(provider.handed.at(-1)?.message.raw.toString()).toBe('Step 1\n\nchanged')
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 1, SCHEDULED: 1 })
  })

  test('a server that cannot be reached costs no email an attempt: the mailbox pauses, longer each time, and goes on', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
    provider.connects = () => ({ kind: 'retry', scope: 'mailbox', code: 'ECONNREFUSED', reason: 'Refused.' })
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 3 })
    const pause = async () =>
      (
        await rowsOf<{ minutes: number; reason: string }>(
          `SELECT round(extract(epoch FROM fault_until - app_now()) / 60)::int AS minutes, pause_reason AS reason FROM mailboxes WHERE id = $1`,
          campaign.mailboxIds,
        )
      )[0]
    expect(await pause()).toEqual({ minutes: 1, reason: 'Refused.' })
    await db.travel('1 minute')
    await sendAll(db.pool, provider)
    expect(await pause()).toEqual({ minutes: 5, reason: 'Refused.' })
    await db.travel('5 minutes')
    provider.connects = () => undefined
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 3 })
    expect(await reservedOf(campaign)).toEqual({ workspace: 3, mailboxes: 3 })
    expect((await emailsOf(campaign)).map(({ attempts }) => attempts)).toEqual([1, 1, 1])
  })

  test('a refused login fails one email, stops the mailbox, and the rest wait for it', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 6 })
    provider.connects = () => ({
      kind: 'rejected',
      scope: 'mailbox',
      code: 'AUTH_REVOKED',
      reason: 'The password was refused.',
    })
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ PERMANENTLY_FAILED: 1, SCHEDULED: 5 })
    expect(await rowsOf('SELECT status, stopped_reason FROM mailboxes WHERE id = $1', campaign.mailboxIds)).toEqual([
      { status: 'STOPPED', stopped_reason: 'The password was refused.' },
    ])
    expect(await sendAll(db.pool, provider)).toMatchObject({ due: 0 })
  })

  test('an address that does not exist is suppressed at once, and all that waits for it anywhere is cancelled', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 1, delays: [0, 1] })
    const other = await makeDueCampaign(db.pool, { in: campaign, prospects: 0 })
    await db.pool.query(
      `WITH cp AS (INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps)
         VALUES (gen_random_uuid(), $1, $2, $3, 'ACTIVE', app_now(), 1) RETURNING id)
       INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
         idempotency_key, scheduled_for, local_date, ready_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, cp.id, $3, $4::uuid, 1, $5, $3::uuid || ':' || $4::uuid || ':1', app_now() + interval '1 hour', '2026-01-01',
         app_now() + interval '1 hour', app_now() FROM cp`,
      [
        campaign.workspaceId,
        other.campaignId,
        campaign.emails[0]?.prospectId,
        other.sequenceId,
        campaign.mailboxIds[0],
      ],
    )
    provider.answer = () => ({ kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' })
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ PERMANENTLY_FAILED: 1, CANCELLED: 1 })
    expect(await statusesOf(db.pool, other.campaignId)).toEqual({ CANCELLED: 1 })
    expect(
      await rowsOf('SELECT kind, source, created_by_id FROM suppressions WHERE workspace_id = $1', [
        campaign.workspaceId,
      ]),
    ).toEqual([{ kind: 'ADDRESS', source: 'BOUNCE', created_by_id: null }])
  })

  test('a provider’s limit defers the mailbox until it resets, and costs no attempt', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 2 })
    const [{ now } = { now: new Date() }] = await rowsOf<{ now: Date }>('SELECT app_now() AS now', [])
    const notBefore = new Date(now.getTime() + 6 * 3_600_000)
    provider.answer = () => ({
      kind: 'retry',
      scope: 'mailbox',
      code: 'DAILY_LIMIT',
      reason: 'The limit is reached.',
      notBefore,
    })
    await sendAll(db.pool, provider, { connections: 1 })
    expect(provider.handed).toHaveLength(1)
    expect(await rowsOf('SELECT deferred_until FROM mailboxes WHERE id = $1', campaign.mailboxIds)).toEqual([
      { deferred_until: notBefore },
    ])
    expect((await emailsOf(campaign)).map(({ attempts }) => attempts)).toEqual([0, 0])
    provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
    await db.travel('6 hours 1 minute')
    await sendAll(db.pool, provider)
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 2 })
  })
})

test('a follow-up waits until the step before it is sent, and is due at its planned time', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 2, delays: [0, 1] })
  await db.pool.query(
    `UPDATE scheduled_emails SET scheduled_for = app_now() + interval '1 day', local_date = (app_now() AT TIME ZONE 'Europe/Berlin')::date WHERE campaign_id = $1`,
    [campaign.campaignId],
  )
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 2, SCHEDULED: 2 })
  await db.travel('1 day 1 minute')
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 4 })
})

test('what the mark waited for is taken from the time of the hand-over: who is stopped in between wakes up too late', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
  const tx = await db.pool.connect()
  await tx.query('BEGIN')
  await tx.query('SELECT FROM prospects WHERE id = $1 FOR UPDATE', [campaign.emails[0]?.prospectId])
  const sending = sendAll(db.pool, provider)
  while (
    (await rowsOf(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, []))
      .length === 0
  );
  const waits = performance.now()
  await new Promise((done) => setTimeout(done, 300))
  const waitedMs = performance.now() - waits
  await tx.query('COMMIT')
  tx.release()
  expect(await sending).toMatchObject({ sent: 1 })
  expect(provider.handed[0]?.deadlineMs).toBeLessThanOrEqual(10_000 - waitedMs)
})

test('a mailbox whose access could not be read once is read again, and not left for the rest of the tick', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 4 })
  const { openTransport } = provider
  let asked = 0
  const flaky = Object.assign(provider, {
    openTransport: async (id: string) => {
      asked += 1
      if (asked === 1) throw new Error('the database is restarting')
      return openTransport(id)
    },
  })
  await sendAll(db.pool, flaky, { connections: 1 })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENDING: 1, SENT: 3 })
})

test('what is written anew in place of an erased copy is frozen as well', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
  const [email] = campaign.emails
  const person = [email?.prospectId]
  provider.answer = () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' })
  await sendAll(db.pool, provider)
  await inTransaction(db.pool, async (tx) => {
    await tx.query('UPDATE prospects SET email = NULL, erased_at = app_now() WHERE id = $1', person)
    await eraseTraces(tx, campaign.workspaceId, [email?.prospectId ?? ''])
  })
  await db.pool.query(`UPDATE prospects SET email = 'back@example.test', erased_at = NULL WHERE id = $1`, person)
  await inTransaction(db.pool, (tx) => sendAgain(tx, campaign.workspaceId, [email?.id ?? ''], 0))
  provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
  await sendAll(db.pool, provider)
  expect(
    await rowsOf(
      `SELECT e.status, c.to_address FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id AND c.content_token = e.content_token
       WHERE e.id = $1`,
      [email?.id],
    ),
  ).toEqual([{ status: 'SENT', to_address: 'back@example.test' }])
})

test('what was claimed ahead and has no connection by the end goes back unmarked: a process that is ended then leaves nothing unknown', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
  let isOver = false
  const time = { leftMs: () => (isOver ? 0 : 20_000) }
  provider.answer = async ({ message }, count) => {
    // Nothing is claimed ahead for a server that has not answered yet.
    if (count > 1) {
      const held = async () => (await statusesOf(db.pool, campaign.campaignId)).SENDING
      await expect.poll(held).toBe(2)
      isOver = true
    }
    return { kind: 'accepted', messageId: message.messageId }
  }
  const counts = await sendAll(db.pool, provider, { connections: 1, time, beginning: time })
  expect(counts).toMatchObject({ due: 3, sent: 2, released: 1 })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 2, SCHEDULED: 1 })
  expect(await reservedOf(campaign)).toEqual({ workspace: 2, mailboxes: 2 })
})
