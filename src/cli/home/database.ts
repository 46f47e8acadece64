import { join } from 'node:path'
import pg from 'pg'
import { readEnvironment } from '#lib/platform/env.ts'
import { startPostgres } from '../postgres/server.ts'
import { Problem } from '../problem.ts'
import { dataFolder, loadEnvFile, openHomeSettings } from './settings.ts'

export type HomeDatabase = {
  url: string
  /** False when DATABASE_URL named it: then it is not ours to start, lock or stop. */
  embedded: boolean
  /** It was made just now: the first start of this installation. */
  isNew: boolean
  close(): Promise<void>
  /** Settles when the embedded server goes away by itself. */
  lost: Promise<void>
}

const DATABASE = 'sendonce'
const PREFERRED_PORT = 54320

/** The server that DATABASE_URL names, or else the embedded one, with its database made. */
export async function openHomeDatabase(): Promise<HomeDatabase> {
  loadEnvFile()
  const given = process.env.DATABASE_URL
  if (given) {
    await mustAnswer(given)
    return {
      url: given,
      embedded: false,
      isNew: false,
      close: async () => undefined,
      lost: new Promise(() => undefined),
    }
  }
  const settings = await openHomeSettings()
  const server = await startPostgres({
    dataFolder: join(dataFolder(), 'postgres'),
    logFile: join(dataFolder(), 'postgres.log'),
    password: settings.databasePassword,
    preferredPort: PREFERRED_PORT,
  })
  let isNew = false
  try {
    isNew = await ensureDatabase(server.urlOf('postgres'))
  } catch (error) {
    await server.stop()
    throw error
  }
  return { url: server.urlOf(DATABASE), embedded: true, isNew, close: () => server.stop(), lost: server.lost }
}

async function ensureDatabase(serverUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`).catch(unlessMade)
    return rowCount === 0
  } finally {
    await client.end()
  }
}

/** By another start in the same moment; which of them goes on is told later. */
function unlessMade(error: { code?: string }): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error
}

async function mustAnswer(url: string): Promise<void> {
  const reading = readEnvironment({ DATABASE_URL: url })
  const malformed = reading.ok ? undefined : reading.problems.find((problem) => problem.startsWith('DATABASE_URL'))
  if (malformed) throw new Problem(malformed)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined) // told by connect()
  try {
    await client.connect()
  } catch (error) {
    throw new Problem(`The Postgres of DATABASE_URL cannot be used: ${reasonOf(error)}`)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The usual reasons in words; Postgres's own sentences are fit for people as they are. */
function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return 'nothing listens there. Is the server running, and are host and port right?'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is not known.'
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'its host cannot be reached.'
  if (code === '28P01' || code === '28000') return 'it refused the user or the password.'
  if (code === '3D000') return 'that database does not exist on the server; create it first.'
  const message = cause instanceof Error ? cause.message : String(cause)
  return /timeout/i.test(message) ? 'it did not answer within 10 seconds.' : `${message}.`
}
