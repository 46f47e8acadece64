import type { Sql } from './database.ts'

/** The database's clock: the only one that comparisons of time go by. */
export async function appNow(sql: Sql): Promise<Date> {
  const { rows } = await sql.query<{ now: Date }>('SELECT app_now() AS now')
  const row = rows[0]
  if (!row) throw new Error('the database did not answer with its time')
  return row.now
}

/** The database's clock, carried on from a reading. */
export function clockFrom(read: Date): () => Date {
  const aheadMs = read.getTime() - Date.now()
  return () => new Date(Date.now() + aheadMs)
}
