import type pg from 'pg'
import type { Sql } from '#lib/platform/database.ts'

export type Asked = { text: string; values: unknown[] }

/** The pool, and what has been asked of it: to count statements, or to look at their plans. Not what its transactions ask. */
export function watched(pool: pg.Pool): { sql: pg.Pool; asked: Asked[] } {
  const asked: Asked[] = []
  const sql = new Proxy(pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name, target)
      return (query: string | { text: string }, values: unknown[] = []) => {
        asked.push({ text: typeof query === 'string' ? query : query.text, values })
        return target.query(query, values)
      }
    },
  })
  return { sql, asked }
}

/** The plans of everything that `work` asks, in its order. */
export async function plansOf(pool: pg.Pool, work: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const { sql, asked } = watched(pool)
  await work(sql)
  return Promise.all(
    asked.map(async ({ text, values }) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }),
  )
}
