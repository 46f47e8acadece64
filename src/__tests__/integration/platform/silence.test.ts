import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { SilentProxy } from '#tests/support/faults/silent-proxy.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let proxy: SilentProxy
beforeEach(async () => {
  proxy = await SilentProxy.start(db.url)
})
afterEach(() => proxy.stop())

/** How it ended; not at all, where nobody gives up. */
async function endOf(work: Promise<unknown>): Promise<void> {
  let end = 'still waits'
  work.then(
    () => {
      end = 'was answered'
    },
    (error: Error) => {
      end = error.message
    },
  )
  const hasEnded = async () => end !== 'still waits'
  await until('it has ended', hasEnded, 20_000).catch(() => undefined)
  expect(end).toBe('Postgres has said nothing for 0.5 s: the connection is given up')
}

test('a connection that goes silent is given up, in and outside a transaction, and another takes its place', async () => {
  const pool = createPool(proxy.url, 2, { silenceMsMax: 500 })
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  expect(proxy.silenceOpen()).toBe(1)
  await endOf(pool.query('SELECT 2'))
  expect((await pool.query('SELECT 3 AS three')).rows).toEqual([{ three: 3 }])
  await endOf(
    inTransaction(pool, async (tx) => {
      await tx.query('SELECT 4')
      proxy.silenceOpen()
      await tx.query('SELECT 5')
    }),
  )
  expect((await inTransaction(pool, (tx) => tx.query('SELECT 6 AS six'))).rows).toEqual([{ six: 6 }])
  expect(pool.totalCount).toBe(1)
  await pool.end()
})

test('a server that lives and is slow says so itself, and keeps its connection', async () => {
  const pool = createPool(db.url, 1, { silenceMsMax: 500 })
  const backend = async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  await expect(inTransaction(pool, (tx) => tx.query('SELECT pg_sleep(60)'))).rejects.toMatchObject({ code: '57014' })
  const before = await backend()
  await expect(inTransaction(pool, (tx) => tx.query('SELECT pg_sleep(60)'))).rejects.toMatchObject({ code: '57014' })
  expect(await backend()).toBe(before)
  await pool.end()
})
