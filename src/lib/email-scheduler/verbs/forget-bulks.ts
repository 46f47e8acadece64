import type pg from 'pg'
import { inTransaction } from '#lib/platform/database.ts'
import type { BulkSelection } from './bulk-work.ts'

/** What an undo and a report need is kept for so long after the end of a bulk. */
export const BULK_KEPT_DAYS = 30

const FORGOTTEN_AT_ONCE = 5_000
const TIMES = 20

/** Not one whose undo is under way, which reads what was done. Mostly there is none: a tick asks it together with other questions. */
export const OLD_BULKS = `SELECT b.id FROM email_bulks b WHERE b.emptied_at IS NULL AND b.finished_at <= app_now() - interval '${BULK_KEPT_DAYS} days'
  AND NOT EXISTS (SELECT FROM email_bulks u WHERE u.undoes_id = b.id AND u.finished_at IS NULL)`

const NOBODY: BulkSelection = { kind: 'ids', ids: [] }

/** A share of what is old, in slices: the rest is for the next tick. Answers how many emails it forgot. */
export async function forgetOldBulks(pool: pg.Pool): Promise<number> {
  let forgotten = 0
  for (let time = 0; time < TIMES; time += 1) {
    const slice = await forgetSlice(pool)
    if (slice === null) break
    forgotten += slice
  }
  return forgotten
}

/**
 * A stretch of the key. As a list of emails to look for, a planner that does not know how many there are (a fresh restore
 * has no statistics) would go through all of the list for each email of the bulk.
 */
export const FORGET_SLICE = `DELETE FROM email_bulk_items WHERE bulk_id = $1 AND email_id <= coalesce(
  (SELECT email_id FROM email_bulk_items WHERE bulk_id = $1 ORDER BY email_id OFFSET $2 - 1 LIMIT 1),
  'ffffffff-ffff-ffff-ffff-ffffffffffff')`

/** How many were left out and why is kept in the bulk before the first of them goes. */
function forgetSlice(pool: pg.Pool): Promise<number | null> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `${OLD_BULKS} ORDER BY b.finished_at LIMIT 1 FOR UPDATE OF b SKIP LOCKED`,
    )
    const [old] = rows
    if (!old) return null
    await tx.query(
      `UPDATE email_bulks SET forgotten_at = app_now(), selection = $2, refused = (
         SELECT coalesce(jsonb_object_agg(answer, count), '{}') FROM (
           SELECT answer, count(*) AS count FROM email_bulk_items WHERE bulk_id = $1 AND answer <> 'done' GROUP BY answer) left_out)
       WHERE id = $1 AND forgotten_at IS NULL`,
      [old.id, NOBODY],
    )
    const { rowCount } = await tx.query(FORGET_SLICE, [old.id, FORGOTTEN_AT_ONCE])
    if ((rowCount ?? 0) < FORGOTTEN_AT_ONCE)
      await tx.query('UPDATE email_bulks SET emptied_at = app_now() WHERE id = $1', [old.id])
    return rowCount ?? 0
  })
}
