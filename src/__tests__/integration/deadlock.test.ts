import { expect, test } from 'vitest'
import { inTransaction } from '#lib/platform/database.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('two transactions that wait for each other both come to their end', async () => {
  await db.pool.query('CREATE TABLE rows_of_a_test (id int PRIMARY KEY, changes int NOT NULL DEFAULT 0)')
  await db.pool.query('INSERT INTO rows_of_a_test VALUES (1), (2)')
  let runs = 0
  let arrived = 0
  let everybodyIsHere = () => {}
  const meeting = new Promise<void>((resolve) => {
    everybodyIsHere = resolve
  })
  const change = (first: number, second: number) =>
    inTransaction(db.pool, async (tx) => {
      runs += 1
      await tx.query('UPDATE rows_of_a_test SET changes = changes + 1 WHERE id = $1', [first])
      arrived += 1
      if (arrived === 2) everybodyIsHere()
      await meeting
      await tx.query('UPDATE rows_of_a_test SET changes = changes + 1 WHERE id = $1', [second])
    })
  const ends = await Promise.allSettled([change(1, 2), change(2, 1)])
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  // Again, and on a busy machine more than once: who is run again may overtake the other that was about to go on.
  expect(runs).toBeGreaterThan(2)
  const { rows } = await db.pool.query('SELECT changes FROM rows_of_a_test ORDER BY id')
  expect(rows).toEqual([{ changes: 2 }, { changes: 2 }])
})

test('a transaction of which nothing could be kept does not end well, though its caller passed over what failed', async () => {
  await db.pool.query('CREATE TABLE more_rows_of_a_test (id int PRIMARY KEY)')
  const passedOver = inTransaction(db.pool, async (tx) => {
    await tx.query('INSERT INTO more_rows_of_a_test VALUES (1)')
    await tx.query('SELECT 1 / 0').catch(() => undefined)
  })
  await expect(passedOver).rejects.toThrow('nothing was kept')
  expect((await db.pool.query('SELECT FROM more_rows_of_a_test')).rowCount).toBe(0)
})
