import { expect, test } from 'vitest'
import { appNow } from '#lib/platform/clock.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('tests travel in time for every connection at once', async () => {
  const before = await appNow(db.pool)
  await db.travel('3 days')
  const other = createPool(db.url, 1)
  const after = await appNow(other)
  await other.end()
  const days = (after.getTime() - before.getTime()) / 86_400_000
  expect(days).toBeGreaterThanOrEqual(3)
  expect(days).toBeLessThan(3.01)
})

test('a search for what is due by app_now() goes through the index', async () => {
  const plan = await inTransaction(db.pool, async (tx) => {
    await tx.query('CREATE TEMPORARY TABLE due (at timestamptz) ON COMMIT DROP')
    await tx.query('CREATE INDEX ON due (at)')
    await tx.query('SET LOCAL enable_seqscan = off')
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>('EXPLAIN SELECT FROM due WHERE at <= app_now()')
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toContain('Index Cond: (at <= app_now())')
})

test('a statement that waited for a lock sees the time after the wait', async () => {
  await db.pool.query('CREATE TABLE lease (id int PRIMARY KEY, until timestamptz)')
  await db.pool.query(`INSERT INTO lease VALUES (1, app_now() + interval '300 milliseconds')`)
  const holder = await db.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM lease WHERE id = 1 FOR UPDATE')
  const waiting = db.pool.query('UPDATE lease SET until = NULL WHERE id = 1 AND until > app_now()')
  await holder.query('SELECT pg_sleep(0.5)')
  await holder.query('UPDATE lease SET id = 1')
  await holder.query('COMMIT')
  holder.release()
  expect((await waiting).rowCount).toBe(0)
})
