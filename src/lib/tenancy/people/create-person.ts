import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'

export type NewPerson = { name: string; email: string; passwordHash: string }

/** With the account that better-auth signs them in by. Answers undefined when the address has one already. */
export async function createPerson(
  tx: Sql,
  person: NewPerson,
  options: { founder: boolean; emailVerified: boolean },
): Promise<string | undefined> {
  const id = newId()
  const { rowCount } = await tx.query(
    `INSERT INTO users (id, name, email, founder, email_verified) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (email) DO NOTHING`,
    [id, person.name, person.email, options.founder, options.emailVerified],
  )
  if (rowCount === 0) return undefined
  await tx.query(
    `INSERT INTO accounts (id, user_id, account_id, provider_id, password) VALUES ($1, $2::uuid, $2::uuid::text, 'credential', $3)`,
    [newId(), id, person.passwordHash],
  )
  return id
}
