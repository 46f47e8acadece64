import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { createWorkspace } from '#lib/tenancy/workspaces/create-workspace.ts'
import { createPerson, type NewPerson } from './create-person.ts'

/** Nobody is here yet: the next person to open Sendonce becomes its first owner. */
export async function isFirstRun(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ empty: boolean }>('SELECT NOT EXISTS (SELECT FROM users) AS empty')
  return rows[0]?.empty ?? false
}

/** Who set this installation up: at home, the person whose machine it is. */
export async function isFounder(sql: Sql, personId: string): Promise<boolean> {
  const { rows } = await sql.query<{ founder: boolean }>('SELECT founder FROM users WHERE id = $1', [personId])
  return rows[0]?.founder ?? false
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
