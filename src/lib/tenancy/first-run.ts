import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { createPerson, type NewPerson } from './create-person.ts'
import { createWorkspace } from './create-workspace.ts'
import type { Actor } from './person.ts'

/** Nobody is here yet: whoever opens Sendonce now becomes its first owner. */
export async function isFirstRun(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ empty: boolean }>('SELECT NOT EXISTS (SELECT FROM users) AS empty')
  return rows[0]?.empty ?? false
}

/** Of two at once, the second waits at the index on founder until the first has committed, and is refused then. */
export async function createFirstOwner(
  tx: Sql,
  person: NewPerson,
  workspace: { name: string; timeZone: string },
  origin: Pick<Actor, 'address' | 'requestId'>,
): Promise<{ personId: string; workspaceId: string }> {
  if (!(await isFirstRun(tx))) throw alreadySetUp()
  const personId = await createPerson(tx, person, { founder: true, emailVerified: false }).catch((error: unknown) => {
    throw isSecondFounder(error) ? alreadySetUp() : error
  })
  if (!personId) throw alreadySetUp()
  const { id: workspaceId } = await createWorkspace(tx, { id: personId, email: person.email, ...origin }, workspace)
  return { personId, workspaceId }
}

function isSecondFounder(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'users_one_founder_key'
}

const alreadySetUp = () =>
  new PublicError(
    409,
    'already-set-up',
    'Sendonce has its first owner already. Sign in, or ask them for an invitation.',
  )
