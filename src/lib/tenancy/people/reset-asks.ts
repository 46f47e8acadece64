import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'

/**
 * Keeps that a link was asked for, before the caller has an answer: one row, whether or not the address belongs to anyone, so
 * that neither the answer nor its time tells. Whose it is, is looked up by `answerResetAsk`.
 */
export async function askForReset(sql: Sql, email: string): Promise<{ id: string }> {
  const id = newId()
  await sql.query('INSERT INTO password_reset_asks (id, email) VALUES ($1, $2)', [id, email])
  return { id }
}

/** Those that a process which died has left behind, the oldest first. */
export async function openResetAsks(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM password_reset_asks ORDER BY id LIMIT 100')
  return rows.map(({ id }) => id)
}
