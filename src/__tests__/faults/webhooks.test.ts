import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { ENCRYPTION_KEYS, Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { endsWithUs } from '#tests/support/server/reaper.ts'
import { testReceiver } from '#tests/support/webhooks/receiver.ts'
import { keyringOf, makeEvents, makeWebhook } from '#tests/support/webhooks/telling.ts'

const db = testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sendonce-webhooks-'))
endsWithUs({ folder })
const extraCa = join(folder, 'ca.pem')
const ca = makeCertificate({ name: 'Test CA' })
writeFileSync(extraCa, ca.cert)
const receiver = testReceiver(makeCertificate({ name: 'receiver', hosts: ['localhost'], signer: ca }))
/** Signed by an authority that the workers trust, for another host. */
const forAnother = testReceiver(makeCertificate({ name: 'other', hosts: ['other.example.com'], signer: ca }))
/** What a redirect leads to: the inside of a network. */
const inside = testReceiver()
const untrusted = testReceiver(makeCertificate({ name: 'localhost', hosts: ['127.0.0.1'] }))
const keyring = keyringOf(ENCRYPTION_KEYS)
const SECURE = { scheme: 'https', host: 'localhost' } as const
const EVENTS = scale({ short: 150, full: 2_000 })
const KILLS = scale({ short: 4, full: 40 })

test('events arrive all, each under one id, although receivers fail in every way and workers are killed in between', async () => {
  const { workspaceId } = await makeWorkspace(db.pool)
  const webhook = await makeWebhook(db.pool, keyring, workspaceId, { receiver, ...SECURE })
  const unsafe = await makeWebhook(db.pool, keyring, workspaceId, { receiver: untrusted, ...SECURE })
  const wrong = await makeWebhook(db.pool, keyring, workspaceId, { receiver: forAnother, ...SECURE })
  const subjects = Array.from({ length: EVENTS / 5 }, () => randomUUID())
  for (const subject of subjects) await makeEvents(db.pool, webhook, 5, subject)
  for (const each of [unsafe, wrong]) await makeEvents(db.pool, each, 3)

  // The first try of most events meets one of the faults; then all hang, and the worker is killed.
  let seen = 0
  let hangFrom = Number.POSITIVE_INFINITY
  let heldByKilled = 0
  receiver.answer = (_, times) => {
    seen += 1
    if (seen > hangFrom) return 'hang'
    if (times > 1) return { status: 200 }
    const fault = seen % 5
    if (fault === 0) return { status: 500 }
    if (fault === 1) return 'hang'
    if (fault === 2) return { status: 302, headers: { location: `http://127.0.0.1:${inside.port}/metadata` } }
    if (fault === 3) return 'reset'
    return { status: 204 }
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    hangFrom = seen + 8
    const worker = new Worker(db.url, { extraCa })
    await until('some are under way', async () => seen > hangFrom)
    await worker.kill()
    const { rowCount } = await db.pool.query('SELECT FROM webhook_deliveries WHERE lease_until > app_now()')
    heldByKilled += rowCount ?? 0
    // The lease of what it held runs out, and what failed is tried again.
    await db.pool.query(
      `UPDATE webhook_deliveries SET due_at = app_now(), lease_until = NULL WHERE state = 'WAITING' AND endpoint_id = $1`,
      [webhook.id],
    )
  }
  receiver.answer = (_, times) => ({ status: times % 7 === 0 ? 503 : 200 })
  await withWorkers(db.url, [{ extraCa }, { extraCa }], () =>
    until('all have arrived', async () => {
      await db.pool.query(
        `UPDATE webhook_deliveries SET due_at = app_now() WHERE state = 'WAITING' AND lease_until IS NULL AND attempts > 0 AND endpoint_id = $1`,
        [webhook.id],
      )
      const { rows } = await db.pool.query(
        `SELECT FROM webhook_deliveries WHERE endpoint_id = $1 AND state <> 'DELIVERED' LIMIT 1`,
        [webhook.id],
      )
      return rows.length === 0
    }),
  )

  const { rows } = await db.pool.query<{ id: string; number: number; subject: string }>(
    `SELECT 'msg_' || replace(message_id::text, '-', '') AS id, (data->>'number')::int AS number, subject_id AS subject
     FROM webhook_deliveries WHERE endpoint_id = $1`,
    [webhook.id],
  )
  const accepted = new Set(receiver.accepted().map(({ id }) => id))
  expect(heldByKilled).toBeGreaterThanOrEqual(KILLS)
  expect(rows).toHaveLength(EVENTS)
  expect(rows.filter(({ id }) => !accepted.has(id))).toEqual([])
  expect(accepted.size).toBe(EVENTS)
  expect(receiver.received.every(({ isVerified }) => isVerified)).toBe(true)
  // Whatever came more than once came with the same bytes.
  const bodies = new Map<string, Set<string>>()
  for (const { id, body } of receiver.received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
  expect([...bodies.values()].filter(({ size }) => size > 1)).toEqual([])
  expect(receiver.received.length).toBeGreaterThan(EVENTS)
  expect([...inside.received, ...untrusted.received, ...forAnother.received]).toEqual([])
  const { rows: refused } = await db.pool.query<{ problem: string }>(
    'SELECT DISTINCT problem FROM webhook_deliveries WHERE endpoint_id = $1 AND attempts > 0',
    [unsafe.id],
  )
  expect(refused).toEqual([{ problem: 'The certificate is self-signed.' }])
  const { rows: mistaken } = await db.pool.query<{ problem: string }>(
    'SELECT DISTINCT problem FROM webhook_deliveries WHERE endpoint_id = $1 AND attempts > 0',
    [wrong.id],
  )
  expect(mistaken).toEqual([{ problem: 'The certificate is not for localhost.' }])
})
