import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { isAtLeast, type Role } from '#lib/tenancy/roles.ts'

/**
 * Changes of members come one after the other in a workspace. The actor's role is read again under the lock: one who
 * was demoted a moment ago decides nothing any more, nor does a key that was revoked.
 */
export async function lockWorkspace(tx: Sql, workspaceId: string, actor: Actor, minimum: Role): Promise<Role> {
  await tx.query('SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  const { rows } = await (actor.keyId === undefined
    ? tx.query<{ role: Role }>('SELECT role FROM members WHERE workspace_id = $1 AND user_id = $2', [
        workspaceId,
        actor.id,
      ])
    : tx.query<{ role: Role }>(
        `SELECT CASE WHEN 'admin' = ANY(scopes) THEN 'admin' ELSE 'member' END AS role FROM api_keys
         WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL FOR SHARE`,
        [workspaceId, actor.keyId],
      ))
  const role = rows[0]?.role
  if (!role) throw notFound()
  if (!isAtLeast(role, minimum)) throw roleTooLow()
  return role
}

export const roleTooLow = () =>
  new PublicError(403, 'role-too-low', 'Your role does not allow this; only an owner may do it.')
