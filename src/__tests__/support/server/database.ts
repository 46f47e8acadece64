import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { onDatabase } from './test-server.ts'

export type TestDatabase = {
  readonly url: string
  readonly pool: pg.Pool
  /** Moves the database's clock, and with it every comparison of time, by so much from now on. */
  travel(interval: string): Promise<void>
}

/** A database of its own for the calling test file, on real Postgres; there from beforeAll to afterAll. */
export function testDatabase(): TestDatabase {
  let url = ''
  let pool: pg.Pool | undefined
  const opened = () => {
    if (!pool) throw new Error('the test database is there only inside tests and hooks')
    return pool
  }

  beforeAll(async () => {
    url = await createTestDatabase()
    pool = createPool(url, 20)
  })
  afterAll(async () => {
    // A test that failed has let nothing go, and an end of the pool would wait for it.
    for (const release of held) release()
    await pool?.end()
    await dropTestDatabase(url)
  })

  return {
    get url() {
      return url
    },
    get pool() {
      return opened()
    },
    async travel(interval) {
      await opened().query('UPDATE test_support.clock SET "offset" = "offset" + $1::interval', [interval])
    },
  }
}

/** Of each transaction that is held open. */
const held = new Set<() => void>()

/** A transaction that has done its work and is held open until told to commit, however long a busy machine takes until then. */
export async function heldOpen(
  pool: pg.Pool,
  work: Parameters<typeof inTransaction>[1],
): Promise<{ commit(): Promise<void> }> {
  let release = () => {}
  let done: Promise<unknown> = Promise.resolve()
  await new Promise<void>((isReady, fail) => {
    done = inTransaction(pool, async (tx) => {
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      await work(tx)
      isReady()
      await new Promise<void>((resolve) => {
        release = resolve
        held.add(resolve)
      })
    })
    done.catch(fail)
  })
  return {
    async commit() {
      held.delete(release)
      release()
      await done
    },
  }
}

/** How many connections to this database wait for a lock; ended, as a server that restarts would, where `isEnded`. */
export async function endWaiting(pool: pg.Pool, isEnded: boolean): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT CASE WHEN $1 THEN pg_terminate_backend(pid) END FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    [isEnded],
  )
  return rowCount ?? 0
}

/** A clone of the migrated template; answers its address. */
export async function createTestDatabase(): Promise<string> {
  const template = inject('templateDatabase')
  const name = `${template}_${randomBytes(4).toString('hex')}`
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  return onDatabase(inject('testServerUrl'), name)
}

export async function dropTestDatabase(url: string): Promise<void> {
  if (url) await onServer(`DROP DATABASE IF EXISTS "${new URL(url).pathname.slice(1)}" WITH (FORCE)`)
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('testServerUrl') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
