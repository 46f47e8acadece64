import pg from 'pg'

/** Any number will do, as long as nothing else on our own server locks it. */
const USE_LOCK = 7_265_101

export type Use = {
  /** Ends the use; true when nobody else uses the server, so that it may be stopped. */
  endsAsLast(): Promise<boolean>
  /** Settles when the server goes away before that. */
  lost: Promise<void>
}

/** Notes on the server itself that we use it: a shared lock, which ends with our connection however we end. */
export async function registerUse(url: string): Promise<Use> {
  const client = new pg.Client({ connectionString: url, keepAlive: true })
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
  })
  await client.connect()
  await client.query('SELECT pg_advisory_lock_shared($1)', [USE_LOCK])
  return {
    lost,
    async endsAsLast() {
      try {
        await client.query('SELECT pg_advisory_unlock_shared($1)', [USE_LOCK])
        const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [USE_LOCK])
        return rows[0]?.last ?? true
      } catch {
        return true // it went first
      } finally {
        await client.end().catch(() => undefined)
      }
    },
  }
}
