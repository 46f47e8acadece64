import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { isAtLeast, type Role } from './roles.ts'

/**
 * Changes of members come one after the other in a workspace. The actor's role is read again under the lock: whoever
 * was demoted a moment ago decides nothing any more.
 */
export async function lockWorkspace(tx: Sql, workspaceId: string, actorId: string, minimum: Role): Promise<Role> {
  await tx.query('SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  const { rows } = await tx.query<{ role: Role }>('SELECT role FROM members WHERE workspace_id = $1 AND user_id = $2', [
    workspaceId,
    actorId,
  ])
  const role = rows[0]?.role
  if (!role) throw notFound()
  if (!isAtLeast(role, minimum)) throw roleTooLow()
  return role
}

export const roleTooLow = () =>
  new PublicError(403, 'role-too-low', 'Your role does not allow this; only an owner may do it.')
