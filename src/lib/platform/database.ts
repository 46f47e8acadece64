import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from './env.ts'
import { PrismaClient } from './generated/client.ts'
import { log } from './log.ts'

/** Anything that runs SQL: the pool, or the client of an open transaction. */
export type Sql = Pick<pg.ClientBase, 'query'>

const DATE_OID = 1082
const BIGINT_OID = 20

/** A date is a date, not an instant: pg would make it midnight in the host's zone. Counts fit in a number. */
const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && oid === DATE_OID) return (value: string) => value
    if (format !== 'binary' && oid === BIGINT_OID) return Number
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

export function createPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    // Without a limit, a pool that is used up makes every request wait for ever.
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    // One forgotten open transaction makes the whole queue many times slower.
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'sendonce',
    types: typeParsers,
  })
  // An idle connection that Postgres closes (a restart, a failover) is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ error }, 'an idle database connection was lost'))
  // The same for one that is lost between two statements of a transaction: the next statement fails and says so.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const names = new Map<string, string>()

/**
 * A statement of the hot path. Each connection parses and plans it once and not every time, which would take longer than
 * carrying it out. Only for texts that are written in the code: one that is put together from data would be kept for each.
 */
export function prepared(text: string): { name: string; text: string } {
  const name = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, name)
  return { name, text }
}

type Handles = { pool: pg.Pool; prisma: PrismaClient }

// Hot reload loads this module again; the handles must not multiply with it.
const shared = globalThis as typeof globalThis & { sendonceDatabase?: Handles }

function handles(): Handles {
  shared.sendonceDatabase ??= connect()
  return shared.sendonceDatabase
}

function connect(): Handles {
  const pool = createPool(env().DATABASE_URL, env().DATABASE_POOL_MAX)
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) }
}

/** Plain SQL, for the verbs of the queue. */
export function database(): pg.Pool {
  return handles().pool
}

/** Prisma, for everything else. The same connections, but never the same transaction. */
export function prisma(): PrismaClient {
  return handles().prisma
}

/** Runs `work` in one transaction on one connection: all of it is kept, or nothing. */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect()
  let broken: Error | undefined
  try {
    await tx.query('BEGIN')
    const result = await work(tx)
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK').catch((lost: Error) => {
      broken = lost
    })
    throw error
  } finally {
    // A connection that could not even roll back is thrown away, never handed to the next user.
    tx.release(broken)
  }
}

const DEADLOCK_TRIES = 5

/** Postgres took a transaction back whole, because two waited for each other: nothing of it happened, so it is run again. */
export async function againOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
      if ((code !== '40P01' && code !== '40001') || tries === DEADLOCK_TRIES) throw error
    }
  }
}

/** Runs `work` in a transaction that is taken back whatever comes: what would happen, without its happening. */
export async function tryOut<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined
  const takeBack = new Error('tried out')
  try {
    await inTransaction(pool, async (tx) => {
      result = { value: await work(tx) }
      throw takeBack
    })
  } catch (error) {
    if (error !== takeBack) throw error
  }
  if (!result) throw takeBack
  return result.value
}
