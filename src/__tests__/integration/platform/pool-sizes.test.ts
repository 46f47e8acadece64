import { afterEach, expect, test } from 'vitest'
import { createPool, createPoolFor } from '#lib/platform/database.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0)) await step()
})

const INSTANCES = 10
/** Postgres allows 100 by default and keeps three of them for its superuser. */
const CONNECTIONS_MAX = 97

function instance(vercel: string | undefined) {
  const pool = createPoolFor({
    DATABASE_URL: db.url,
    DATABASE_POOL_MAX: undefined,
    DATABASE_POOLER: undefined,
    LEASE_SECONDS: 120,
    VERCEL: vercel,
  })
  undo.push(() => pool.end())
  return pool
}

/** How many this database has, but for the one that asks and the tests' own. */
async function openConnections(but: number): Promise<number> {
  const { rows } = await db.pool.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
  )
  return (rows[0]?.open ?? 0) - but
}

test('ten instances on Vercel at their busiest take half of what a Postgres allows, and give all of it back', async () => {
  await db.pool.query('SELECT 1')
  const own = await openConnections(0)
  const pools = Array.from({ length: INSTANCES }, () => instance('1'))
  const rounds = pools.flatMap((pool) => Array.from({ length: 30 }, () => pool.query('SELECT 1')))
  await Promise.all(rounds)
  const open = pools.reduce((sum, pool) => sum + pool.totalCount, 0)
  expect(open).toBe(50)
  expect(open).toBeLessThan(CONNECTIONS_MAX)
  await until('idle connections were given back', async () => (await openConnections(own)) <= 0)
  expect(pools.map(({ totalCount }) => totalCount)).toEqual(Array(INSTANCES).fill(0))
})

test('a server of one’s own opens ten', async () => {
  const pool = instance(undefined)
  await Promise.all(Array.from({ length: 30 }, () => pool.query('SELECT 1')))
  expect(pool.totalCount).toBe(10)
})

test('connections of a process that is frozen, and closes none, are closed by the server', async () => {
  const frozen = createPool(db.url, 2, { idleMs: 3_600_000, idleSessionMs: 200 })
  undo.push(() => frozen.end())
  const { rows } = await frozen.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await until('the server has closed it', async () => {
    const { rowCount } = await db.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid])
    return rowCount === 0
  })
  await until('the pool has noticed', async () => frozen.totalCount === 0)
  expect((await frozen.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
