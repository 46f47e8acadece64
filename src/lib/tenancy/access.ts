import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { isAtLeast, type Role } from './roles.ts'

/** A workspace as one of its people sees it. */
export type Membership = { id: string; name: string; timeZone: string; role: Role }

export type WorkspaceAccess = { workspace: { id: string; name: string; timeZone: string }; role: Role }

/** All workspaces of a person, by name. The zone is the one that counts now, not one that waits for its midnight. */
export async function listMemberships(sql: Sql, personId: string): Promise<Membership[]> {
  const { rows } = await sql.query<Membership>(
    `SELECT w.id, w.name, m.role,
            coalesce(CASE WHEN s.next_time_zone_at <= app_now() THEN s.next_time_zone END, s.time_zone, 'UTC') AS "timeZone"
     FROM members m
     JOIN workspaces w ON w.id = m.workspace_id
     LEFT JOIN sending_settings s ON s.workspace_id = w.id
     WHERE m.user_id = $1
     ORDER BY lower(w.name), w.id`,
    [personId],
  )
  return rows
}

/** The one that the session names, as long as the person still belongs to it; else the first. */
export function activeAmong(memberships: Membership[], activeWorkspaceId: string | null): Membership | undefined {
  return memberships.find((membership) => membership.id === activeWorkspaceId) ?? memberships[0]
}

/** The one door into a workspace: asked anew at every request, so that a removal counts at once. */
export async function assertWorkspaceAccess(
  sql: Sql,
  personId: string,
  workspaceId: string | null,
  minimum: Role,
): Promise<WorkspaceAccess> {
  const memberships = await listMemberships(sql, personId)
  const membership = workspaceId ? memberships.find(({ id }) => id === workspaceId) : undefined
  // Another workspace's id and one that does not exist are the same to a person who may not know.
  if (!membership) throw notFound()
  const { role, ...workspace } = membership
  if (!isAtLeast(role, minimum)) {
    throw new PublicError(
      403,
      'role-too-low',
      `This needs the role ${minimum} or more; yours in ${workspace.name} is ${role}. Ask an owner.`,
    )
  }
  return { workspace, role }
}
