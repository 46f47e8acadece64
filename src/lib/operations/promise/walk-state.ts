import type { Sql } from '#lib/platform/database.ts'
import { WALK_NAMES, type WalkName } from '../doctor/walks.ts'

/** Few, since nobody knows yet how long they take here. */
const ROWS_AT_FIRST = 50

/** How far one walk is. */
export type WalkState = {
  walk: WalkName
  /** Empty at the beginning of a round. */
  cursor: string | null
  rowsAtOnce: number
  /** Of the present round, or of the last one where none has begun since. */
  roundRows: number
  roundBeganAt: Date | null
  lookedAt: Date | null
  lastRoundRows: number | null
  lastRoundEndedAt: Date | null
  trouble: string | null
}

/** All walks of this version, in their order; those that nobody has begun as well. */
export async function readWalks(
  sql: Sql,
): Promise<(WalkState & { sinceEndedMs: number | null; sinceTroubleMs: number | null })[]> {
  const { rows } = await sql.query<Awaited<ReturnType<typeof readWalks>>[number]>(
    `SELECT n.walk, w.cursor, coalesce(w.rows_at_once, ${ROWS_AT_FIRST}) AS "rowsAtOnce", coalesce(w.round_rows, 0) AS "roundRows",
       w.round_began_at AS "roundBeganAt", w.looked_at AS "lookedAt", w.last_round_rows AS "lastRoundRows",
       w.last_round_ended_at AS "lastRoundEndedAt", w.trouble,
       (extract(epoch FROM app_now() - w.last_round_ended_at) * 1000)::float8 AS "sinceEndedMs",
       CASE WHEN w.trouble IS NOT NULL THEN (extract(epoch FROM app_now() - w.looked_at) * 1000)::float8 END AS "sinceTroubleMs"
     FROM unnest($1::text[]) WITH ORDINALITY AS n(walk, nth) LEFT JOIN promise_walks w USING (walk) ORDER BY n.nth`,
    [WALK_NAMES],
  )
  return rows
}

export type WalkDone = Pick<WalkState, 'walk' | 'cursor' | 'rowsAtOnce' | 'roundRows' | 'trouble'> & {
  /** In this look its round began. */
  hasBegun: boolean
  /** How many rows its round had, where it ended in this look. */
  endedRows: number | null
}

/** What one look did to a walk. Zero rows: the lease is another worker's by now, whose cursor counts. */
export async function writeWalk(
  sql: Sql,
  token: number,
  { walk, cursor, rowsAtOnce, roundRows, endedRows, hasBegun, trouble }: WalkDone,
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `INSERT INTO promise_walks AS w (walk, cursor, rows_at_once, round_rows, round_began_at, looked_at, last_round_rows, last_round_ended_at, trouble)
     SELECT $2, $3, $4, $5, CASE WHEN $8 THEN app_now() END, app_now(), $6, CASE WHEN $6::int IS NOT NULL THEN app_now() END, $7 FROM promise_looks WHERE token = $1
     ON CONFLICT (walk) DO UPDATE SET cursor = EXCLUDED.cursor, rows_at_once = EXCLUDED.rows_at_once, round_rows = EXCLUDED.round_rows,
       round_began_at = coalesce(EXCLUDED.round_began_at, w.round_began_at),
       looked_at = EXCLUDED.looked_at, last_round_rows = coalesce(EXCLUDED.last_round_rows, w.last_round_rows),
       last_round_ended_at = coalesce(EXCLUDED.last_round_ended_at, w.last_round_ended_at), trouble = EXCLUDED.trouble`,
    [token, walk, cursor, rowsAtOnce, roundRows, endedRows, trouble, hasBegun],
  )
  return rowCount === 1
}
