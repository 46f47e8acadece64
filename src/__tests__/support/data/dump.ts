import type pg from 'pg'
import { applyMigrations } from '#cli/migrate/apply.ts'
import { inTransaction } from '#lib/platform/database.ts'

/** What pg_dump keeps of a database, without pg_dump, which not every machine has: each table's rows, and where sequences stand. */
export type Dump = { tables: Map<string, string>; sequences: Map<string, number> }

export async function takeDump(pool: pg.Pool): Promise<Dump> {
  return inTransaction(pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    const tables = new Map<string, string>()
    for (const table of await tablesOf(tx)) {
      const { rows } = await tx.query<{ all: string | null }>(`SELECT json_agg(t)::text AS all FROM "${table}" t`)
      tables.set(table, rows[0]?.all ?? '[]')
    }
    const { rows } = await tx.query<{ name: string; value: number }>(
      `SELECT sequencename AS name, last_value AS value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`,
    )
    return { tables, sequences: new Map(rows.map(({ name, value }) => [name, value])) }
  })
}

/** As `pg_restore --clean` does it: everything is dropped and made anew in the same database, and filled. */
export async function restoreClean(pool: pg.Pool, url: string, dump: Dump): Promise<void> {
  await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await applyMigrations({ connectionString: url })
  await fill(pool, dump)
}

/** As a snapshot of the disk does it: the very same tables hold what they held then. */
export async function putBack(pool: pg.Pool, dump: Dump): Promise<void> {
  await fill(pool, dump)
}

async function fill(pool: pg.Pool, { tables, sequences }: Dump): Promise<void> {
  await inTransaction(pool, async (tx) => {
    // As pg_restore does: no trigger and no foreign key looks at what is put back.
    await tx.query('SET LOCAL session_replication_role = replica')
    for (const table of await tablesOf(tx)) await tx.query(`DELETE FROM "${table}"`)
    for (const [table, rows] of tables)
      await tx.query(`INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1)`, [rows])
    for (const [sequence, value] of sequences) await tx.query('SELECT setval($1::regclass, $2)', [sequence, value])
  })
}

async function tablesOf(tx: pg.ClientBase): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
  )
  return rows.map(({ name }) => name)
}
