import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import {
  beginStatement,
  isNamed,
  isStatementLost,
  learnFrom,
  meetServer,
  type SessionLimits,
  type Way,
  withoutName,
} from './connections/pooler.ts'
import { giveUpWhenSilent } from './connections/silence.ts'
import { type Environment, env } from './env.ts'
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

export type PoolOptions = {
  /** A connection whose server has said nothing for so long is given up; 0: never. */
  silenceMsMax?: number
  /** Known to lead through a pooler in transaction mode; else it is found out. */
  isPooled?: boolean
  /** After so long, a connection that nobody uses is closed. */
  idleMs?: number
  /** The same by the server, for a process that is frozen and closes nothing; 0: never. */
  idleSessionMs?: number
}

const SILENCE_MS_MAX = 60_000

/** Of the time after which a connection counts as silent, what a statement may take: a server that lives says so in time. */
const STATEMENT_SHARE = 0.8

const ways = new WeakMap<pg.Pool, Way>()

export function createPool(connectionString: string, max: number, options: PoolOptions = {}): pg.Pool {
  const { silenceMsMax = SILENCE_MS_MAX, isPooled = false, idleMs = 30_000, idleSessionMs = 0 } = options
  const way: Way = { isPooled, areNamesKept: true }
  const limits: SessionLimits = {
    statementMs: Math.round(silenceMsMax * STATEMENT_SHARE),
    // One forgotten open transaction makes the whole queue many times slower.
    idleInTransactionMs: 60_000,
    idleSessionMs,
  }
  const pool = new pg.Pool({
    connectionString,
    max,
    // Without a limit, a pool that is used up makes every request wait for ever.
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: idleMs,
    // A firewall that forgets a connection, or a machine that is gone, says nothing: a caller would wait for good.
    keepAlive: true,
    // Statements that do not need each other's answers travel together (`Promise.all`), and are carried out in order.
    pipeline: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'sendonce',
    types: typeParsers,
    onConnect: async (client) => {
      giveUpWhenSilent(client, silenceMsMax)
      await meetServer(client, limits, way)
    },
  })
  ways.set(pool, way)
  retryLostStatements(pool, way)
  // An idle connection that Postgres closes (a restart, a failover) is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ error }, 'an idle database connection was lost'))
  // The same for one that is lost between two statements of a transaction: the next statement fails and says so.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** A statement by itself, outside a transaction, is repeated where it was lost; the pool has thrown its connection away. */
function retryLostStatements(pool: pg.Pool, way: Way): void {
  const query = pool.query.bind(pool)
  Object.assign(pool, {
    query: async (statement: unknown, ...rest: unknown[]) => {
      try {
        return await Reflect.apply(query, pool, [statement, ...rest])
      } catch (error) {
        if (!isNamed(statement) || !isStatementLost(error)) throw error
        learnFrom(error, way)
        return Reflect.apply(query, pool, [withoutName(statement), ...rest])
      }
    },
  })
}

/** The pool that a process of the product works on. */
export function createPoolFor(env: DatabaseSettings): pg.Pool {
  const isServerless = env.VERCEL !== undefined
  return createPool(env.DATABASE_URL, env.DATABASE_POOL_MAX ?? (isServerless ? SERVERLESS_MAX : SERVER_MAX), {
    // A worker that waits for a dead connection must know it while its leases last.
    silenceMsMax: (env.LEASE_SECONDS * 1000) / 2,
    isPooled: env.DATABASE_POOLER === 'transaction',
    ...(isServerless && { idleMs: SERVERLESS_IDLE_MS, idleSessionMs: SERVERLESS_FROZEN_MS }),
  })
}

type DatabaseSettings = Pick<
  Environment,
  'DATABASE_URL' | 'DATABASE_POOL_MAX' | 'DATABASE_POOLER' | 'LEASE_SECONDS' | 'VERCEL'
>

const SERVER_MAX = 10
/** Ten instances at once, each with all of theirs, leave half of the usual 100 to others. */
const SERVERLESS_MAX = 5
const SERVERLESS_IDLE_MS = 5_000
const SERVERLESS_FROZEN_MS = 60_000

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
  const pool = createPoolFor(env())
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

/**
 * Runs `work` in one transaction on one connection: all of it is kept, or nothing. Where two waited for each other
 * Postgres takes one of them back whole, and it is run again: `work` changes nothing but the database. The same where a
 * prepared statement was lost.
 */
export function inTransaction<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  return againOnDeadlock(() => once(pool, work))
}

async function once<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect()
  let broken: Error | undefined
  try {
    await tx.query(beginStatement(tx))
    const result = await work(tx)
    const { command } = await tx.query('COMMIT')
    // What Postgres answers where a statement had failed and `work` went on all the same.
    if (command === 'ROLLBACK') throw new Error('nothing was kept: a statement of the transaction had failed')
    return result
  } catch (error) {
    const way = ways.get(pool)
    if (way) learnFrom(error, way)
    await tx.query('ROLLBACK').catch((lost: Error) => {
      broken = lost
    })
    if (isStatementLost(error)) broken ??= new Error('its prepared statements are not to be trusted', { cause: error })
    throw error
  } finally {
    // A connection that could not even roll back is thrown away, never handed to the next user.
    tx.release(broken)
  }
}

/** Reads that belong together are all of one moment, however much is committed between them. */
export function inSnapshot<T>(pool: pg.Pool, read: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return read(tx)
  })
}

const DEADLOCK_TRIES = 5

async function againOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
      const isTakenBack = code === '40P01' || code === '40001' || isStatementLost(error)
      if (!isTakenBack || tries === DEADLOCK_TRIES) throw error
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
