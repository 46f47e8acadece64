import type pg from 'pg'
import { addUp } from '#lib/platform/rows/kept-counts.ts'

/** For a tick, which asks this together with other questions. */
export const PEOPLE_COUNT_CHANGES = 'SELECT FROM people_count_changes'

export const addUpPeople = (pool: pg.Pool): Promise<number> =>
  addUp(pool, {
    cells: 'people_counts',
    changes: 'people_count_changes',
    lock: 7265103,
    isEmpty: 'people = 0 AND steps = 0',
    add: `added AS (
         INSERT INTO people_counts AS c (owner_id, state, people, steps)
         SELECT owner_id, state, sum(people), sum(steps) FROM taken GROUP BY 1, 2 HAVING sum(people) <> 0 OR sum(steps) <> 0
         ON CONFLICT (owner_id, state) DO UPDATE SET people = c.people + EXCLUDED.people, steps = c.steps + EXCLUDED.steps
         RETURNING c.ctid AS at, c.people = 0 AND c.steps = 0 AS "isEmpty"
       )`,
  })
