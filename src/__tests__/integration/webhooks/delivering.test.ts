import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { Deadline } from '#lib/mail/deadline.ts'
import { claimDeliveries } from '#lib/webhooks/claim.ts'
import type { Courier } from '#lib/webhooks/courier.ts'
import { AT_ONCE_MAX, RETRY_DELAYS_SECONDS } from '#lib/webhooks/limits.ts'
import { settleDelivery } from '#lib/webhooks/settle.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { testReceiver } from '#tests/support/webhooks/receiver.ts'
import {
  keyringOf,
  makeEvents,
  makeWebhook,
  NOWHERE_ALLOWED,
  standingsOf,
  testCourier,
} from '#tests/support/webhooks/telling.ts'

/** What a tick does besides: nothing. */
const IDLE = { ended: Promise.resolve(), didAnything: () => false }
const db = testDatabase()
const keyring = keyringOf()
const receiver = testReceiver()
const bystander = testReceiver()
const selfSigned = testReceiver(makeCertificate({ name: 'localhost', hosts: ['127.0.0.1'] }))
const forAnother = testReceiver(makeCertificate({ name: 'other', hosts: ['other.example.com'] }))
let workspaceId = ''

beforeEach(async () => {
  await db.pool.query('DELETE FROM webhook_deliveries; DELETE FROM webhook_endpoints')
  for (const each of [receiver, bystander]) {
    each.received.length = 0
    each.mostInFlight = 0
    each.answer = () => ({ status: 204 })
  }
  workspaceId = (await makeWorkspace(db.pool)).workspaceId
})

/** One tick's worth: until nothing is due, and what is tried again within seconds has been. */
async function deliver(courier: Courier): Promise<void> {
  await courier.beside(IDLE, { hasDueWebhooks: true, hasOldWebhooks: false }, new Deadline(60_000))
}

/** What is due now and no more, after a number of looks at the most. */
async function deliverDue(courier: Courier, looks = Number.POSITIVE_INFINITY): Promise<void> {
  let asked = 0
  // Asked twice in each look.
  const time = { leftMs: () => (asked++ < 2 * looks ? 1 : 0) }
  await courier.beside(IDLE, { hasDueWebhooks: true, hasOldWebhooks: false }, time)
}

test('each event arrives once, signed, with the body and headers of the specification', async () => {
  const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
  await makeEvents(db.pool, webhook, 20)
  const { courier } = testCourier(db.pool, keyring)
  await deliver(courier)
  expect(receiver.received).toHaveLength(20)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(20)
  expect(receiver.received.every(({ isVerified }) => isVerified)).toBe(true)
  expect(receiver.received[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
  })
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
    type: 'prospect.unsubscribed',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    data: expect.any(Object),
  })
  expect(await standingsOf(db.pool, webhook.id)).toEqual(
    Array(20).fill({ state: 'DELIVERED', attempts: 1, problem: null, answerStatus: 204, dueIn: null }),
  )
  expect(courier.takeCounts()).toEqual({ webhooksDelivered: 20, webhooksFailed: 0 })
})

test('while one secret follows the other, a receiver that knows either takes what comes', async () => {
  const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
  const { replaceSecret } = await import('#lib/webhooks/secrets.ts')
  await replaceSecret(db.pool, keyring, { workspaceId, id: webhook.id })
  await db.pool.query(`UPDATE webhook_endpoints SET previous_secret_until = app_now() + interval '1 hour'`)
  await makeEvents(db.pool, webhook, 1)
  await deliver(testCourier(db.pool, keyring).courier)
  expect(receiver.received).toMatchObject([{ isVerified: true, signatures: 2 }])
  await db.pool.query(`UPDATE webhook_endpoints SET previous_secret_until = app_now()`)
  await makeEvents(db.pool, webhook, 1)
  await deliver(testCourier(db.pool, keyring).courier)
  expect(receiver.received[1]).toMatchObject({ isVerified: false, signatures: 1 })
})

describe('a receiver that fails', () => {
  test('gets the event again under the same id and with the same bytes, until it takes it', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 1)
    receiver.answer = (_, times) => ({ status: times < 3 ? 500 : 200, body: 'out of order' })
    const { courier } = testCourier(db.pool, keyring)
    await deliverDue(courier)
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([
      { state: 'WAITING', attempts: 1, answerStatus: 500, dueIn: 5 },
    ])
    await db.travel('5 seconds')
    await deliverDue(courier)
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([{ attempts: 2, dueIn: 300 }])
    // Not by travelling: the receiver refuses what was signed five minutes from its own time.
    await db.pool.query('UPDATE webhook_deliveries SET due_at = app_now()')
    await deliverDue(courier)
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([{ state: 'DELIVERED', attempts: 3 }])
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
    expect(receiver.received.every(({ isVerified }) => isVerified)).toBe(true)
  })

  test('by all of its attempts is disabled and its owners told, once; what waited stays and goes out later', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 2)
    receiver.answer = () => ({ status: 500 })
    const { courier, told } = testCourier(db.pool, keyring)
    for (const seconds of [0, ...RETRY_DELAYS_SECONDS]) {
      await db.travel(`${seconds} seconds`)
      await deliverDue(courier)
    }
    expect(told).toMatchObject([
      { endpointId: webhook.id, workspaceId, reason: expect.stringContaining('answered 500') },
    ])
    const { rows } = await db.pool.query('SELECT status FROM webhook_endpoints')
    expect(rows).toEqual([{ status: 'DISABLED' }])
    const { rows: kept } = await db.pool.query(
      'SELECT action, actor_email, target_id, target_name, details FROM audit_log WHERE workspace_id = $1',
      [workspaceId],
    )
    expect(kept).toEqual([
      {
        ...{ action: 'webhook.disabled', actor_email: 'Sendonce', target_id: webhook.id },
        ...{ target_name: `127.0.0.1:${receiver.port}`, details: { reason: told[0]?.reason } },
      },
    ])
    const standings = await standingsOf(db.pool, webhook.id)
    expect(standings.filter(({ state }) => state === 'FAILED')).toMatchObject([{ attempts: 8 }])
    expect(receiver.received.length).toBeGreaterThanOrEqual(15)
    const before = receiver.received.length
    await db.travel('1 day')
    await deliverDue(courier)
    expect(receiver.received).toHaveLength(before)
    await db.pool.query(`UPDATE webhook_endpoints SET status = 'ENABLED', disabled_reason = NULL`)
    receiver.answer = () => ({ status: 200 })
    await deliver(courier)
    expect((await standingsOf(db.pool, webhook.id)).map(({ state }) => state).sort()).toEqual(['DELIVERED', 'FAILED'])
  })

  test('for one event only, and takes the others, stays enabled: that one has failed', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 1)
    receiver.answer = ({ data }) => ({ status: data.number === 1 ? 422 : 200 })
    const { courier, told } = testCourier(db.pool, keyring)
    await deliverDue(courier)
    await db.pool.query(`UPDATE webhook_deliveries SET data = data || '{"number": 1}'`)
    for (const seconds of RETRY_DELAYS_SECONDS) {
      await db.travel(`${seconds} seconds`)
      const [other] = await makeEvents(db.pool, webhook, 1)
      await db.pool.query(`UPDATE webhook_deliveries SET data = data || '{"number": 2}' WHERE id = $1`, [other])
      await deliverDue(courier)
    }
    expect(told).toEqual([])
    const standings = await standingsOf(db.pool, webhook.id)
    expect(standings[0]).toMatchObject({ state: 'FAILED', attempts: 8, answerStatus: 422 })
    expect(standings.slice(1).every(({ state }) => state === 'DELIVERED')).toBe(true)
  })

  test('with 410 is disabled at once', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 1)
    receiver.answer = () => ({ status: 410 })
    const { courier, told } = testCourier(db.pool, keyring)
    await deliver(courier)
    expect(told).toMatchObject([{ endpointId: webhook.id, reason: expect.stringContaining('410') }])
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([{ state: 'FAILED', attempts: 1 }])
  })

  test('with 503 and Retry-After is left alone for so long, with everything that waits', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 12)
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '120' } })
    const { courier } = testCourier(db.pool, keyring)
    await deliverDue(courier)
    await db.travel('100 seconds')
    await deliverDue(courier)
    expect(receiver.received).toHaveLength(AT_ONCE_MAX)
    await db.travel('20 seconds')
    receiver.answer = () => ({ status: 200 })
    await deliver(courier)
    expect(receiver.accepted()).toHaveLength(12)
  })
})

describe('an answer', () => {
  test('that leads elsewhere is a failure, and is not followed', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 1)
    receiver.answer = () => ({ status: 307, headers: { location: `http://127.0.0.1:${bystander.port}/inside` } })
    await deliverDue(testCourier(db.pool, keyring).courier)
    expect(bystander.received).toEqual([])
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([
      { state: 'WAITING', answerStatus: 307, problem: expect.stringContaining('not followed') },
    ])
  })

  test('without end is cut, and its beginning kept', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 1)
    receiver.answer = () => ({ status: 200, body: Buffer.alloc(20_000_000, 'x\u0000') })
    await deliver(testCourier(db.pool, keyring).courier)
    const { rows } = await db.pool.query<{ body: string }>('SELECT answer_body AS body FROM webhook_deliveries')
    expect(rows[0]?.body).toMatch(/^(x�)+$/)
    expect(rows[0]?.body).toHaveLength(4_096)
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([{ state: 'DELIVERED' }])
  })

  test.each([
    ['whose connection is closed', () => 'reset' as const, 'closed before an answer'],
    [
      'that is none of HTTP’s',
      () => ({ status: 200, headers: { 'x-large': 'x'.repeat(60_000) } }),
      'no answer of HTTP',
    ],
  ])('%s is a failure in words', async (_, answer, words) => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, webhook, 1)
    receiver.answer = answer
    await deliverDue(testCourier(db.pool, keyring).courier)
    expect(await standingsOf(db.pool, webhook.id)).toMatchObject([
      { state: 'WAITING', answerStatus: null, problem: expect.stringContaining(words) },
    ])
  })
})

test('a certificate that is self-signed, or for another, is not trusted: nothing of the event is sent', async () => {
  const signed = await makeWebhook(db.pool, keyring, workspaceId, { receiver: selfSigned, scheme: 'https' })
  const other = await makeWebhook(db.pool, keyring, workspaceId, { receiver: forAnother, scheme: 'https' })
  for (const webhook of [signed, other]) await makeEvents(db.pool, webhook, 1)
  await deliverDue(testCourier(db.pool, keyring).courier)
  expect([...selfSigned.received, ...forAnother.received]).toEqual([])
  expect(await standingsOf(db.pool, signed.id)).toMatchObject([{ problem: 'The certificate is self-signed.' }])
  expect(await standingsOf(db.pool, other.id)).toMatchObject([{ problem: expect.stringContaining('certificate') }])
})

test('an address that is private is not connected to, also where it was allowed when it was entered', async () => {
  const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver, host: 'localhost' })
  await makeEvents(db.pool, webhook, 1)
  await deliverDue(testCourier(db.pool, keyring, NOWHERE_ALLOWED).courier)
  expect(receiver.received).toEqual([])
  expect(await standingsOf(db.pool, webhook.id)).toMatchObject([
    { state: 'WAITING', problem: expect.stringContaining('inside a private network') },
  ])
})

describe('the events of one email', () => {
  test('come in their order; a later one waits until the earlier was taken, or has failed twice', async () => {
    const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    const [first = ''] = await makeEvents(db.pool, webhook, 5, randomUUID())
    const numbers = () => receiver.received.map(({ data }) => data.number)
    const { courier } = testCourier(db.pool, keyring)
    receiver.answer = ({ data }) => ({ status: data.number === 1 ? 500 : 200 })
    await deliverDue(courier, 1)
    expect(numbers()).toEqual([1])
    await db.travel('4 seconds')
    await deliverDue(courier, 1)
    expect(numbers()).toEqual([1])
    await db.travel('1 second')
    await deliverDue(courier, 1)
    expect(numbers()).toEqual([1, 1])
    await deliver(courier)
    expect(numbers()).toEqual([1, 1, 2, 3, 4, 5])
    const { rows } = await db.pool.query('SELECT attempts FROM webhook_deliveries WHERE id = $1', [first])
    expect(rows).toEqual([{ attempts: 2 }])
  })
})

describe('fairness', () => {
  test('one endpoint has few at once, whatever waits for it, and another is served beside it', async () => {
    const flooded = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    const other = await makeWebhook(db.pool, keyring, (await makeWorkspace(db.pool)).workspaceId, {
      receiver: bystander,
    })
    await makeEvents(db.pool, flooded, 5_000)
    await makeEvents(db.pool, other, 3)
    receiver.answer = async () => {
      await sleep(20)
      return { status: 200 }
    }
    const { courier } = testCourier(db.pool, keyring)
    const rest = testCourier(db.pool, keyring).courier
    const time = new Deadline(1_500)
    const one = { hasDueWebhooks: true, hasOldWebhooks: false }
    await Promise.all([courier, rest].map((each) => each.beside(IDLE, one, time)))
    expect(bystander.received).toHaveLength(3)
    expect(receiver.received.length).toBeGreaterThan(AT_ONCE_MAX)
    expect(receiver.received.length).toBeLessThan(5_000)
    expect(receiver.mostInFlight).toBeLessThanOrEqual(2 * AT_ONCE_MAX)
  })

  test('receivers that hang take half of a worker at most, and what is healthy goes on', async () => {
    const hanging: string[] = []
    for (let each = 0; each < 40; each += 1) {
      const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
      await makeEvents(db.pool, webhook, 2)
      hanging.push(webhook.id)
    }
    await db.pool.query('UPDATE webhook_endpoints SET failures_in_row = 3')
    const healthy = await makeWebhook(db.pool, keyring, workspaceId, { receiver: bystander })
    await makeEvents(db.pool, healthy, 200)
    receiver.answer = () => 'hang'
    const { courier } = testCourier(db.pool, keyring)
    const work = deliver(courier)
    await expect.poll(() => bystander.received.length, { timeout: 14_000 }).toBe(200)
    expect(receiver.received.length).toBe(32)
    await work
    const { rows } = await db.pool.query<{ problem: string; count: number }>(
      'SELECT problem, count(*)::int FROM webhook_deliveries WHERE attempts > 0 AND endpoint_id = ANY($1) GROUP BY 1',
      [hanging],
    )
    expect(rows.map(({ problem }) => problem)).toEqual(['No answer came within 15 seconds.'])
  })
})

test('endpoints that only have what waits for an earlier event take nobody’s turn, however many they are', async () => {
  for (let at = 0; at < 100; at += 1) {
    const waiting = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
    await makeEvents(db.pool, waiting, 2, randomUUID())
  }
  // The first of each failed once, and its receiver asked for an hour.
  await db.pool.query(
    `UPDATE webhook_deliveries SET attempts = 1, due_at = app_now() + interval '1 hour' WHERE data->>'number' = '1'`,
  )
  const healthy = await makeWebhook(db.pool, keyring, workspaceId, { receiver: bystander })
  await makeEvents(db.pool, healthy, 1)
  expect((await claimDeliveries(db.pool, 64, false)).map(({ endpointId }) => endpointId)).toEqual([healthy.id])
})

test('a worker that wakes after its lease was lost changes nothing', async () => {
  const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
  await makeEvents(db.pool, webhook, 1)
  const [old] = await claimDeliveries(db.pool, 10, false)
  expect(await claimDeliveries(db.pool, 10, false)).toEqual([])
  await db.travel('61 seconds')
  const [again] = await claimDeliveries(db.pool, 10, false)
  if (!old || !again) throw new Error('nothing was claimed')
  expect(again).toMatchObject({ id: old.id, leaseToken: old.leaseToken + 1, messageId: old.messageId })
  const accepted = { kind: 'answered' as const, status: 200, body: '', retryAfter: undefined }
  const nobody = async () => undefined
  const late = { answer: accepted, outcome: { kind: 'failed' as const, problem: 'x' }, durationMs: 1 }
  expect(await settleDelivery(db.pool, old, late, nobody)).toBe('lost-lease')
  const good = { answer: accepted, outcome: { kind: 'delivered' as const }, durationMs: 1 }
  expect(await settleDelivery(db.pool, again, good, nobody)).toBe('settled')
  expect(await standingsOf(db.pool, webhook.id)).toMatchObject([{ state: 'DELIVERED', attempts: 1 }])
})

test('a worker that is told to end gives back what a receiver keeps it waiting for, with no attempt counted', async () => {
  const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver })
  await makeEvents(db.pool, webhook, 3)
  receiver.answer = () => 'hang'
  const stopping = new AbortController()
  const running = testCourier(db.pool, keyring).courier.run(new Deadline(60_000), stopping.signal)
  await expect.poll(() => receiver.inFlight, { timeout: 30_000 }).toBe(3)
  stopping.abort()
  await running
  expect(await standingsOf(db.pool, webhook.id)).toMatchObject(Array(3).fill({ state: 'WAITING', attempts: 0 }))
  const { rowCount } = await db.pool.query(
    'SELECT FROM webhook_deliveries WHERE due_at <= app_now() AND lease_until IS NULL',
  )
  expect(rowCount).toBe(3)
})
