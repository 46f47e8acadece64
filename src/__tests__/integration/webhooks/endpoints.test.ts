import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { ENDPOINTS_MAX } from '#lib/webhooks/limits.ts'
import { type Answer, join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'
import { testReceiver } from '#tests/support/webhooks/receiver.ts'
import { makeEvents } from '#tests/support/webhooks/telling.ts'

type Made = Received<'POST /api/webhooks'>
type Webhook = Received<'GET /api/webhooks/[id]'>
type Delivery = Received<'GET /api/webhook-deliveries/[id]'>

/** What a tick does besides: nothing. */
const IDLE = { ended: Promise.resolve(), didAnything: () => false }
const app = testApp()
const receiver = testReceiver()
let owner: Visitor
let workspaceId = ''

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM webhook_deliveries; DELETE FROM webhook_endpoints; DELETE FROM rate_limits')
  receiver.received.length = 0
  receiver.answer = () => ({ status: 200, body: 'thank you' })
})

const codeOf = ({ json }: Answer<unknown>) => (json && !json.success ? json.error.code : undefined)
const at = (id: string, more: object = {}) => ({ params: { id }, ...more })

async function add(more: object = {}, who = owner): Promise<Made> {
  const url = `http://127.0.0.1:${receiver.port}/${crypto.randomUUID()}`
  const made = await who.ask<Made>('POST', '/api/webhooks', { body: { url, events: ['email.sent'], ...more } })
  receiver.secrets.set(new URL(made.webhook.url).pathname, made.secret)
  return made
}

const edit = (id: string, body: object, headers = {}) =>
  owner.call('PATCH', '/api/webhooks/[id]', at(id, { body, headers }))
const read = (id: string) => owner.ask<Webhook>('GET', '/api/webhooks/[id]', at(id))
const testEvent = (id: string) => owner.ask<Delivery>('POST', '/api/webhooks/[id]/test', at(id))

async function tick(): Promise<void> {
  const { courier } = await import('#lib/wiring/webhooks.ts')
  const due = { hasDueWebhooks: true, hasOldWebhooks: false }
  await courier().beside(IDLE, due, { leftMs: () => 1 })
}

describe('the secret', () => {
  test('is told once, when it is made, and lies encrypted in the database', async () => {
    const { secret, webhook } = await add()
    expect(secret).toMatch(/^whsec_/)
    for (const path of ['/api/webhooks', '/api/webhooks/[id]', '/api/webhooks/[id]/deliveries']) {
      const { json } = await owner.call('GET', path, at(webhook.id))
      expect(JSON.stringify(json)).not.toContain(secret.slice(6))
    }
    const { rows } = await app.db.pool.query<{ row: string }>(
      `SELECT c::text || encode(ciphertext, 'escape') AS row FROM encrypted_credentials c UNION ALL SELECT e::text FROM webhook_endpoints e
       UNION ALL SELECT a::text FROM audit_log a UNION ALL SELECT k::text FROM kept_answers k`,
    )
    expect(rows.length).toBeGreaterThan(2)
    expect(rows.some(({ row }) => row.includes(secret.slice(6)))).toBe(false)
  })

  test('is not told again under the same Idempotency-Key, and no second webhook is made', async () => {
    const headers = { 'idempotency-key': 'one' }
    const body = { url: `http://127.0.0.1:${receiver.port}/`, events: ['email.sent'] }
    expect((await owner.call('POST', '/api/webhooks', { body, headers })).status).toBe(201)
    const again = await owner.call('POST', '/api/webhooks', { body, headers })
    expect(JSON.stringify(again.json ?? null)).not.toContain('whsec_')
    const { webhooks } = await owner.ask<{ webhooks: Webhook[] }>('GET', '/api/webhooks')
    expect(webhooks).toHaveLength(1)
  })

  test('that follows another leaves a day in which either verifies', async () => {
    const { webhook, secret } = await add()
    const rotated = await owner.ask<Made>('POST', '/api/webhooks/[id]/secret', at(webhook.id))
    expect(rotated.secret).not.toBe(secret)
    expect(rotated.webhook.previousSecretUntil).not.toBeNull()
    await testEvent(webhook.id)
    receiver.secrets.set(new URL(webhook.url).pathname, rotated.secret)
    await testEvent(webhook.id)
    expect(receiver.received).toMatchObject([
      { isVerified: true, signatures: 2 },
      { isVerified: true, signatures: 2 },
    ])
    await app.db.pool.query('UPDATE webhook_endpoints SET previous_secret_until = app_now()')
    await testEvent(webhook.id)
    expect(receiver.received[2]).toMatchObject({ isVerified: true, signatures: 1 })
  })
})

describe('an address', () => {
  test.each([
    ['https://10.0.0.1/hook', 'inside a private network'],
    ['http://93.184.216.34/hook', 'unencrypted'],
    ['https://169.254.169.254/latest', 'inside a private network'],
    ['nonsense', 'no address'],
  ])('like %s is refused with what is wrong', async (url, words) => {
    const answer = await owner.call('POST', '/api/webhooks', { body: { url, events: ['email.sent'] } })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({
      error: { details: { fields: [{ path: 'url', message: expect.stringContaining(words) }] } },
    })
    const { webhook } = await add()
    expect((await edit(webhook.id, { url })).status).toBe(400)
  })

  test('is one of twenty at most', async () => {
    for (let count = 0; count < ENDPOINTS_MAX; count += 1) await add()
    const body = { url: `http://127.0.0.1:${receiver.port}/`, events: ['email.sent'] }
    expect(codeOf(await owner.call('POST', '/api/webhooks', { body }))).toBe('too-many-webhooks')
  })

  test('may not be without events, nor with one that there is not', async () => {
    for (const events of [[], ['email.opened']]) {
      const body = { url: `http://127.0.0.1:${receiver.port}/`, events }
      expect((await owner.call('POST', '/api/webhooks', { body })).status).toBe(400)
    }
  })
})

describe('a change', () => {
  test('is kept, and refused to whoever has seen an older version', async () => {
    const { webhook } = await add()
    const etag = `"${webhook.version}"`
    expect(
      (await edit(webhook.id, { description: 'Shop', events: ['email.failed'] }, { 'if-match': etag })).status,
    ).toBe(200)
    expect(await read(webhook.id)).toMatchObject({ description: 'Shop', events: ['email.failed'] })
    expect(codeOf(await edit(webhook.id, { description: 'Mine' }, { 'if-match': etag }))).toBe('changed-since')
  })

  test('by a delivery is none: whoever edits is not told that it was changed', async () => {
    const { webhook } = await add()
    await testEvent(webhook.id)
    expect((await read(webhook.id)).version).toBe(webhook.version)
  })

  test('to paused collects what happens, and to enabled sends it', async () => {
    const { webhook } = await add()
    await edit(webhook.id, { status: 'PAUSED' })
    await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 3)
    await tick()
    expect(receiver.received).toEqual([])
    expect(await read(webhook.id)).toMatchObject({ status: 'PAUSED', waiting: 3 })
    await edit(webhook.id, { status: 'ENABLED' })
    await tick()
    expect(receiver.accepted()).toHaveLength(3)
    expect(await read(webhook.id)).toMatchObject({ status: 'ENABLED', waiting: 0 })
  })

  test('is in the audit log, without the path, which may be a secret', async () => {
    const { webhook } = await add()
    await edit(webhook.id, { status: 'PAUSED' })
    await owner.ask('DELETE', '/api/webhooks/[id]', at(webhook.id))
    await owner.ask('POST', '/api/webhooks/[id]/restore', at(webhook.id))
    const { entries } = await owner.ask<{ entries: { action: string; targetName: string }[] }>('GET', '/api/audit')
    expect(entries.slice(0, 4).map(({ action }) => action)).toEqual([
      ...['webhook.restored', 'webhook.removed', 'webhook.paused', 'webhook.added'],
    ])
    expect(entries[0]?.targetName).toBe(`127.0.0.1:${receiver.port}`)
  })
})

describe('one that is removed', () => {
  test('gets nothing more, and comes back as it was within a day', async () => {
    const { webhook } = await add()
    await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 1)
    await owner.ask('DELETE', '/api/webhooks/[id]', at(webhook.id))
    await tick()
    expect(receiver.received).toEqual([])
    expect((await owner.call('GET', '/api/webhooks/[id]', at(webhook.id))).status).toBe(404)
    await owner.ask('POST', '/api/webhooks/[id]/restore', at(webhook.id))
    await tick()
    expect(receiver.received).toMatchObject([{ isVerified: true }])
  })

  test('is gone after a day, with its secret and its deliveries', async () => {
    const { webhook } = await add()
    const kept = await add()
    for (const { id } of [webhook, kept.webhook]) await makeEvents(app.db.pool, { id, workspaceId }, 10)
    await owner.ask('DELETE', '/api/webhooks/[id]', at(webhook.id))
    await app.db.pool.query(`UPDATE webhook_endpoints SET removed_at = removed_at - interval '25 hours'`)
    expect((await owner.call('POST', '/api/webhooks/[id]/restore', at(webhook.id))).status).toBe(404)
    await forget()
    const { rows } = await app.db.pool.query<{ count: number }>(
      `SELECT (SELECT count(*)::int FROM webhook_deliveries) AS deliveries, (SELECT count(*)::int FROM webhook_endpoints) AS endpoints,
         (SELECT count(*)::int FROM encrypted_credentials WHERE owner_id = $1) AS secrets`,
      [webhook.id],
    )
    expect(rows).toEqual([{ deliveries: 10, endpoints: 1, secrets: 0 }])
  })
})

async function forget(): Promise<string[]> {
  const { forgetOldDeliveries } = await import('#lib/webhooks/clean.ts')
  const told: string[] = []
  const tell = async (_: unknown, { endpointId }: { endpointId: string }) => void told.push(endpointId)
  await forgetOldDeliveries(app.db.pool, tell, new Deadline(30_000))
  return told
}

describe('deliveries', () => {
  test('are kept for 14 days; where one was not made by then, its webhook is disabled and the owners told', async () => {
    const [one, other] = [(await add()).webhook, (await add()).webhook]
    for (const { id } of [one, other]) await makeEvents(app.db.pool, { id, workspaceId }, 3)
    await app.db.pool.query(
      `UPDATE webhook_deliveries SET happened_at = app_now() - interval '15 days', state = CASE WHEN endpoint_id = $1 THEN 'DELIVERED'::webhook_delivery_state ELSE state END,
         due_at = CASE WHEN endpoint_id = $1 THEN NULL ELSE due_at END, ended_at = CASE WHEN endpoint_id = $1 THEN app_now() END`,
      [one.id],
    )
    await makeEvents(app.db.pool, { id: one.id, workspaceId }, 1)
    expect(await forget()).toEqual([other.id])
    expect(await read(one.id)).toMatchObject({ status: 'ENABLED', waiting: 1 })
    expect(await read(other.id)).toMatchObject({ status: 'DISABLED', waiting: 0 })
  })

  test('that have ended are kept up to a number, of each webhook for itself', async () => {
    const [one, other] = [(await add()).webhook, (await add()).webhook]
    await makeEvents(app.db.pool, { id: one.id, workspaceId }, 103_000)
    await makeEvents(app.db.pool, { id: other.id, workspaceId }, 10)
    await app.db.pool.query(
      `UPDATE webhook_deliveries SET state = 'DELIVERED', due_at = NULL, ended_at = app_now() WHERE data->>'number' <> '1'`,
    )
    expect(await forget()).toEqual([])
    const { rows } = await app.db.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries GROUP BY endpoint_id = $1 ORDER BY 1`,
      [one.id],
    )
    // The oldest waits still, and stays.
    expect(rows.map(({ count }) => count)).toEqual([10, 100_001])
  })

  test('are listed newest first, page after page, and those that wait in the order in which they go', async () => {
    const { webhook } = await add()
    const ids = await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 5)
    await app.db.pool.query(`UPDATE webhook_deliveries SET due_at = due_at + interval '1 hour' WHERE id = $1`, [ids[0]])
    await app.db.pool.query(
      `UPDATE webhook_deliveries SET state = 'FAILED', due_at = NULL, ended_at = app_now(), problem = 'Gone.' WHERE id = $1`,
      [ids[2]],
    )
    const pages = async (show: string) => {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: Record<string, string> = { show, limit: '2', ...(cursor && { cursor }) }
        const page: Received<'GET /api/webhooks/[id]/deliveries'> = await owner.ask(
          'GET',
          '/api/webhooks/[id]/deliveries',
          at(webhook.id, { query }),
        )
        seen.push(...page.deliveries.map(({ id }) => id))
        cursor = page.nextCursor
      }
      return seen.map((id) => ids.indexOf(id))
    }
    expect(await pages('all')).toEqual([4, 3, 2, 1, 0])
    expect(await pages('waiting')).toEqual([1, 3, 4, 0])
    expect(await pages('failed')).toEqual([2])
  })

  test('go again when a person says so, under the id that they had, one or all that failed', async () => {
    const { webhook } = await add()
    const ids = await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 3)
    receiver.answer = () => ({ status: 500 })
    await tick()
    await app.db.pool.query(
      `UPDATE webhook_deliveries SET state = 'FAILED', due_at = NULL, ended_at = app_now(), attempts = 8`,
    )
    receiver.answer = () => ({ status: 200 })
    const again = await owner.ask<Delivery>('POST', '/api/webhook-deliveries/[id]/again', at(ids[0] ?? ''))
    expect(again).toMatchObject({ state: 'WAITING', attempts: 0 })
    await tick()
    expect(await owner.ask('POST', '/api/webhooks/[id]/deliveries/again', at(webhook.id))).toEqual({
      ...{ again: 2, remaining: false },
    })
    await tick()
    expect(receiver.accepted()).toHaveLength(3)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3)
    await edit(webhook.id, { status: 'PAUSED' })
    expect(codeOf(await owner.call('POST', '/api/webhook-deliveries/[id]/again', at(ids[0] ?? '')))).toBe('webhook-off')
  })

  test('under way go on, and are not begun twice', async () => {
    const { webhook } = await add()
    const [id = ''] = await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 1)
    const { claimDeliveries } = await import('#lib/webhooks/claim.ts')
    await claimDeliveries(app.db.pool, 10, false)
    expect(await owner.ask<Delivery>('GET', '/api/webhook-deliveries/[id]', at(id))).toMatchObject({ isUnderWay: true })
    expect(codeOf(await owner.call('POST', '/api/webhook-deliveries/[id]/again', at(id)))).toBe('under-way')
  })
})

describe('a test event', () => {
  test('goes at once, also while it is paused, and what became of it is answered', async () => {
    const { webhook } = await add()
    await edit(webhook.id, { status: 'PAUSED' })
    const delivery = await testEvent(webhook.id)
    expect(delivery).toMatchObject({
      ...{
        type: 'webhook.test',
        state: 'DELIVERED',
        answerStatus: 200,
        answerBody: 'thank you',
        sentence: 'Delivered.',
      },
      payload: receiver.received[0]?.body,
      messageId: receiver.received[0]?.id,
    })
    expect(receiver.received).toMatchObject([{ isVerified: true, data: { webhookId: webhook.id } }])
  })

  test('that is not taken says so, and is tried again like any other', async () => {
    const { webhook } = await add()
    receiver.answer = () => ({ status: 404, body: 'no such path' })
    expect(await testEvent(webhook.id)).toMatchObject({
      ...{ state: 'WAITING', answerStatus: 404, answerBody: 'no such path', sentence: expect.stringContaining('404') },
    })
  })

  test('can be asked for 60 times in an hour', async () => {
    const { webhook } = await add()
    await testEvent(webhook.id)
    await app.db.pool.query('UPDATE rate_limits SET attempts = 60')
    const answer = await owner.call('POST', '/api/webhooks/[id]/test', at(webhook.id))
    expect([answer.status, answer.response.headers.has('retry-after')]).toEqual([429, true])
  })
})

test('owners are told by mail when it is disabled, and nobody else', async () => {
  const second = await join(app, owner, 'otto@example.com', 'owner')
  await join(app, owner, 'anna@example.com', 'admin')
  expect(await whoAmI(second)).toBeTruthy()
  const { webhook } = await add()
  await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 2)
  receiver.answer = () => ({ status: 410 })
  await tick()
  expect(await read(webhook.id)).toMatchObject({ status: 'DISABLED', disabledReason: expect.stringContaining('410') })
  const { rows } = await app.db.pool.query<{ to: string; text: string; subject: string }>(
    `SELECT to_address AS "to", body_text AS text, subject FROM email_contents WHERE subject LIKE 'The webhook%' ORDER BY to_address`,
  )
  expect(rows.map(({ to }) => to)).toEqual(['olga@example.com', 'otto@example.com'])
  expect(rows[0]?.text).toContain(`/settings/webhooks?webhook=${webhook.id}`)
  expect(rows[0]?.text).not.toContain(new URL(webhook.url).pathname)
})

test('the tick of the cron delivers, and says how much', async () => {
  const { webhook } = await add()
  await makeEvents(app.db.pool, { id: webhook.id, workspaceId }, 3)
  const { runTick } = await import('#lib/worker/tick.ts')
  const { courier } = await import('#lib/wiring/webhooks.ts')
  const webhooks = { courier: courier(), time: new Deadline(60_000) }
  expect(await runTick(app.db.pool, 'cron', silent, { webhooks })).toMatchObject({
    webhooksDelivered: 3,
    webhooksFailed: 0,
  })
  expect(receiver.accepted()).toHaveLength(3)
  expect(await runTick(app.db.pool, 'cron', silent, { webhooks })).toMatchObject({ webhooksDelivered: 0 })
})
