import pg from 'pg'
import { isBehindPooler } from '#lib/platform/connections/pooler.ts'
import { Problem } from '../problem.ts'

/**
 * Where migrations are applied: a lock of the session keeps two migrators apart, and behind a pooler in transaction mode
 * it would keep nobody out, or stay behind on a backend for good.
 */
export async function directUrl(databaseUrl: string): Promise<string> {
  const url = process.env.DIRECT_URL || databaseUrl
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined) // told by connect()
  await client.connect()
  try {
    if (!(await isBehindPooler(client))) return url
  } finally {
    await client.end()
  }
  throw new Problem(
    process.env.DIRECT_URL
      ? 'DIRECT_URL leads through a pooler too, and migrations need the server itself. Set DIRECT_URL to the address of the Postgres behind it.'
      : 'DATABASE_URL leads through a pooler, and migrations need the server itself. Set DIRECT_URL to the address of the Postgres behind it, beside DATABASE_URL.',
  )
}
