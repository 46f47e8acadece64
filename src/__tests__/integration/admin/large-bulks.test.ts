import { expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { advanceBulk } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import { actOnMany } from '#lib/email-scheduler/verbs/bulk.ts'
import { BULK_KEPT_DAYS, FORGET_SLICE } from '#lib/email-scheduler/verbs/forget-bulks.ts'
import { type BulkReport, readBulk } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { startBulk, startUndo } from '#lib/email-scheduler/verbs/start-bulk.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction, tryOut } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { heapUsed } from '#tests/support/heap.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const FAILED = 5_000
const MANY = 100_000
const WORKERS = 4

const REFUSED: SendOutcome = {
  kind: 'rejected',
  scope: 'message',
  code: 'MESSAGE_REFUSED',
  reason: 'The server refused it.',
}

const settings = {
  sending_days: '{1,2,3,4,5,6,7}',
  window_start_minute: 0,
  window_end_minute: 1440,
  daily_quota: 1_000_000,
}
const sums = ({ done, refused }: BulkReport) => done + refused.reduce((sum, { count }) => sum + count, 0)

test('5,000 failed ones are retried while workers send and another person dismisses: the report adds up, and the doctor finds nothing', {
  timeout: 900_000,
}, async () => {
  const { workspaceId, campaignId, emails } = await makeDueCampaign(db.pool, {
    ...{ prospects: FAILED, mailboxes: 4, settings, limits: { dailyLimit: 1_000_000 } },
  })
  await db.pool.query('UPDATE mailboxes SET rolling_limit = 1000000')
  const provider = new TestProvider()
  provider.answer = () => REFUSED
  let isOver = false
  const worker = async (number: number) => {
    while (!isOver) {
      // A run of refusals makes a mailbox pause, as it should; here nothing would go on.
      await inTransaction(db.pool, (tx) =>
        tx.query('UPDATE mailboxes SET fault_until = NULL, faults_in_row = 0, burned_as = NULL, burned_in_row = 0'),
      )
      await sendAll(db.pool, provider, { worker: `worker-${number}`, claimMsMax: 500 })
      await db.pool.query('DELETE FROM burning_domains')
    }
  }
  const workers = Promise.all(Array.from({ length: WORKERS }, (_, number) => worker(number)))
  try {
    const failed = async () => (await statusesOf(db.pool, campaignId)).PERMANENTLY_FAILED ?? 0
    await expect.poll(failed, { timeout: 280_000, interval: 500 }).toBe(FAILED)

    const accepted = new Map<string, number>()
    provider.answer = ({ emailId, message }) => {
      accepted.set(emailId, (accepted.get(emailId) ?? 0) + 1)
      return { kind: 'accepted', messageId: message.messageId }
    }
    const wish = { wish: { action: 'retry' as const }, emails: { filter: { part: 'decide' as const }, exceptIds: [] } }
    const id = await inTransaction(db.pool, (tx) => startBulk(tx, workspaceId, wish, actor))
    const other = emails.filter((_, index) => index % 10 === 0).map((email) => email.id)
    const dismissing = actOnMany(db.pool, workspaceId, { ids: other }, { action: 'dismiss' }, actor, false)
    const going = async () => {
      while ((await readBulk(db.pool, workspaceId, id)).state === 'GOING_ON') await advanceBulk(db.pool)
    }
    const [dismissed] = await Promise.all([dismissing, going(), going()])
    const report = await readBulk(db.pool, workspaceId, id)
    expect(report.state).toBe('FINISHED')
    expect(sums(report)).toBe(report.lookedAt)
    // Those that were dismissed before their slice came are no part of the filter any more.
    expect(report.done).toBeGreaterThanOrEqual(FAILED - dismissed.done)
    const sent = async () => (await statusesOf(db.pool, campaignId)).SENT ?? 0
    await expect.poll(sent, { timeout: 280_000, interval: 500 }).toBe(report.done)
    expect(accepted.size).toBe(report.done)
    expect(Math.max(...accepted.values())).toBe(1)
  } finally {
    isOver = true
    await workers
  }
  const left = await statusesOf(db.pool, campaignId)
  expect(Object.values(left).reduce((sum, count) => sum + count, 0)).toBe(FAILED)
  expect(await examine(db.pool)).toEqual([])
})

test('100,000 are cancelled by ticks alone, which say how far they are, and take no more memory for it; after a time it is forgotten', {
  timeout: 600_000,
}, async () => {
  const { workspaceId, campaignId, emails } = await makeDueCampaign(db.pool, { prospects: MANY, settings })
  const [kept] = emails
  await db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [campaignId])
  const filter = { campaignId, part: 'waiting' as const }
  const wish = { wish: { action: 'cancel' as const }, emails: { filter, exceptIds: [kept?.id ?? ''] } }
  // Begun, and the tab is closed: nothing but ticks goes on with it.
  const id = await inTransaction(db.pool, (tx) => startBulk(tx, workspaceId, wish, actor))
  expect(await readBulk(db.pool, workspaceId, id)).toMatchObject({ state: 'GOING_ON', total: MANY - 1, lookedAt: 0 })

  const heapBytes: number[] = []
  const told = new Set<number>()
  let report = await readBulk(db.pool, workspaceId, id)
  for (let tick = 0; report.state === 'GOING_ON'; tick += 1) {
    // Each is cut short, and another worker comes next.
    await runTick(db.pool, `worker-${tick % 2}`, silent, { planning: new Deadline(1_000) })
    report = await readBulk(db.pool, workspaceId, id)
    expect(report.lookedAt).toBeGreaterThanOrEqual(Math.max(0, ...told))
    expect(report.done).toBe(report.lookedAt)
    told.add(report.lookedAt)
    heapBytes.push(heapUsed())
  }
  expect(report).toMatchObject({ state: 'FINISHED', done: MANY - 1, refused: [] })
  expect(told.size).toBeGreaterThan(2)
  expect(Math.max(...heapBytes) - (heapBytes[0] ?? 0)).toBeLessThan(16 * 1024 * 1024)
  expect(await statusesOf(db.pool, campaignId)).toEqual({ CANCELLED: MANY - 1, SCHEDULED: 1 })

  const items = async () =>
    (
      await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM email_bulk_items WHERE bulk_id = $1', [
        id,
      ])
    ).rows[0]?.count ?? 0
  await db.travel(`${BULK_KEPT_DAYS} days`)
  await db.pool.query(`INSERT INTO email_bulk_items (bulk_id, email_id, answer) VALUES ($1, $2, 'not-possible')`, [
    id,
    kept?.id,
  ])
  expect(await items()).toBe(MANY)
  for (let left = MANY; left > 0; left = await items()) {
    await runTick(db.pool, 'forgets', silent, { planning: new Deadline(0) })
    expect(await items()).toBeLessThan(left)
  }
  const after = await readBulk(db.pool, workspaceId, id)
  expect(after).toMatchObject({
    ...{ state: 'FINISHED', done: MANY - 1, undo: { isPossible: false } },
    refused: [{ reason: 'not-possible', count: 1, ids: [] }],
  })
  await expect(inTransaction(db.pool, (tx) => startUndo(tx, workspaceId, id, actor))).rejects.toThrow(
    `kept for ${BULK_KEPT_DAYS} days`,
  )
})

test('of statistics that know nothing of it, forgetting a slice of a bulk makes nothing quadratic', async () => {
  const [slice, items] = [1_000, 3_000]
  const deleted = await tryOut(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query('ALTER TABLE email_bulk_items SET (autovacuum_enabled = off)')
    const add = (bulkId: string, count: number) =>
      tx.query(
        `INSERT INTO email_bulk_items (bulk_id, email_id, answer) SELECT $1, gen_random_uuid(), 'done' FROM generate_series(1, $2)`,
        [bulkId, count],
      )
    for (let other = 0; other < 20; other += 1) await add(newId(), 20)
    await tx.query('ANALYZE email_bulk_items')
    const id = newId()
    await add(id, items)
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE) ${FORGET_SLICE}`, [id, slice])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const left = await tx.query('SELECT FROM email_bulk_items WHERE bulk_id = $1', [id])
    return { plan, left: left.rowCount }
  })
  expect(deleted.left).toBe(items - slice)
  expect(deleted.plan).not.toMatch(/Removed by Join Filter/)
})
