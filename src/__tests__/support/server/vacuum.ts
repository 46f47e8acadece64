import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '#lib/platform/database.ts'

/**
 * As tables are in life, hours after their rows were written: seen by everybody, so that an index alone can be enough.
 * Right after writing, a commit that is not on disk yet or a statement of autovacuum may be in the way of that.
 */
export async function vacuum(sql: Sql, ...tables: string[]): Promise<void> {
  await sql.query('CHECKPOINT')
  for (let tries = 0; ; tries += 1) {
    await sql.query(`VACUUM (ANALYZE) ${tables.join(', ')}`)
    const { rows } = await sql.query(
      'SELECT FROM pg_class WHERE oid = ANY($1::regclass[]) AND relallvisible < 0.99 * relpages',
      [tables],
    )
    if (rows.length === 0) return
    if (tries === 100) throw new Error(`rows of ${tables.join(', ')} are still not seen by everybody`)
    await sleep(100)
  }
}
