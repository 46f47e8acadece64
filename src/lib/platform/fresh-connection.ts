import pg from 'pg'

/**
 * Runs `work` in one transaction on a connection that nobody has used: nothing is prepared on it, also where a pooler in
 * between hands out a server that others have used; nor is there a limit on how long a statement takes. For what must get
 * through when Postgres refuses the pool's own, or would end it for its length.
 */
export async function onFreshConnection<T>(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = new pg.Client(pool.options)
  // One that is lost between two statements: the next statement fails and says so.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('BEGIN')
    await client.query('DEALLOCATE ALL')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } finally {
    // Ends what is open of the transaction as well.
    await client.end().catch(() => undefined)
  }
}
