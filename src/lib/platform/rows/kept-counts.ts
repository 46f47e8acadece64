import type pg from 'pg'
import { inTransaction } from '#lib/platform/database.ts'

/** Cells of counts, and the table to which triggers append what changes. */
export type KeptCounts = {
  cells: string
  changes: string
  /** One at a time adds up, among all workers: beside FAIR_LOCKS, a number of its own. */
  lock: number
  /** Adds the rows of `taken` to the cells, in a CTE `added` with the `at` (ctid) of each cell and whether it `isEmpty`. */
  add: string
  /** Of a cell. */
  isEmpty: string
}

export const ADDED_AT_ONCE = 5_000

/**
 * Adds up a share of what triggers appended since, in the transaction that takes it away: a count at that
 * moment sees all of it or nothing. Answers how many it took; none where another worker is at it.
 */
export async function addUp(pool: pg.Pool, { cells, changes, lock, add, isEmpty }: KeptCounts): Promise<number> {
  const open = await pool.query(`SELECT FROM ${changes} LIMIT 1`)
  if (open.rowCount === 0) return 0
  return inTransaction(pool, async (tx) => {
    const { rows: locks } = await tx.query<{ isMine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS "isMine"', [
      lock,
    ])
    if (!locks[0]?.isMine) return 0
    const { rows } = await tx.query<{ at: string; isEmpty: boolean; taken: number }>(
      `WITH taken AS (
         DELETE FROM ${changes} WHERE id IN (SELECT id FROM ${changes} ORDER BY id LIMIT ${ADDED_AT_ONCE}) RETURNING *
       ), ${add}
       SELECT at::text, "isEmpty", (SELECT count(*) FROM taken)::int AS taken FROM added
       UNION ALL SELECT '', false, (SELECT count(*) FROM taken)::int`,
    )
    // What is empty now is forgotten: days, lists and campaigns go by, and a cell of each would stay for ever.
    const empty = rows.filter((row) => row.isEmpty).map(({ at }) => at)
    if (empty.length > 0) await tx.query(`DELETE FROM ${cells} WHERE ctid = ANY($1::tid[]) AND ${isEmpty}`, [empty])
    return rows[0]?.taken ?? 0
  })
}
