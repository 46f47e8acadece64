import type { Sql } from '#lib/platform/database.ts'
import type { ActionType } from './action-types.ts'

export const COUNTED = [
  'executed',
  'cancelled',
  'deduplicated',
  'failed',
  'dead',
  'mended',
  'lateMs',
  'published',
  'republished',
  'recovered',
] as const

export type ActionCounted = { type: ActionType; what: (typeof COUNTED)[number]; count: number }

/** Adds to what was counted since the beginning. Each connection has a part of its own, so that none waits for another. */
export async function countActions(sql: Sql, counts: readonly ActionCounted[]): Promise<void> {
  const some = counts.filter(({ count }) => count > 0)
  if (some.length === 0) return
  await sql.query(
    `INSERT INTO action_counts AS c (type, what, part, count)
     SELECT n.type, n.what, pg_backend_pid() % 16, n.count FROM unnest($1::action_type[], $2::text[], $3::bigint[]) AS n(type, what, count)
     ORDER BY n.type, n.what ON CONFLICT (type, what, part) DO UPDATE SET count = c.count + excluded.count`,
    [some.map(({ type }) => type), some.map(({ what }) => what), some.map(({ count }) => Math.round(count))],
  )
}
