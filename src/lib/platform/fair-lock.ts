import { prepared, type Sql } from './database.ts'

/** The first number of these among a database's advisory locks. */
const FAIR_LOCKS = 7265

/**
 * Postgres lets share locks of a row overtake a transaction that waits to change it: as long as marks overlap, a person who pauses
 * their campaign would wait without end. An advisory lock is given out in the order in which it is asked for. So who
 * holds rows in share mode in quick succession, and who changes them, take it first: before any row, several by number.
 */
export async function takeFairLock(
  tx: Sql,
  mode: 'to share' | 'to change',
  ids: readonly (string | null)[],
): Promise<void> {
  await tx.query(
    prepared(`SELECT pg_advisory_xact_lock${mode === 'to share' ? '_shared' : ''}(${FAIR_LOCKS}, number) FROM (
       SELECT DISTINCT hashtext(id) AS number FROM unnest($1::text[]) AS id WHERE id IS NOT NULL ORDER BY 1) locks`),
    [ids],
  )
}
