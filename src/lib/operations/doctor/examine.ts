import type pg from 'pg'
import type { Invariant } from './invariant.ts'
import { INVARIANTS } from './invariants.ts'

export type Finding = Pick<Invariant, 'name' | 'sentence'> & { count: number; ids: string[] }

const IDS_SHOWN = 5

/**
 * What is wrong in the database, all as of one moment and without changing anything: emails that are on their way are
 * then either before a step or after it, and never between the row and its counter.
 */
export async function examine(pool: pg.Pool): Promise<Finding[]> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const findings: Finding[] = []
    for (const { name, sentence, sql } of INVARIANTS) {
      const { rows } = await client.query<{ count: number; ids: string[] | null }>(
        `SELECT count(*)::int AS count, (array_agg(id::text))[1:${IDS_SHOWN}] AS ids FROM (${sql}) found`,
      )
      const { count = 0, ids } = rows[0] ?? {}
      if (count > 0) findings.push({ name, sentence, count, ids: ids ?? [] })
    }
    return findings
  } finally {
    await client.query('ROLLBACK').catch(() => undefined)
    client.release()
  }
}
