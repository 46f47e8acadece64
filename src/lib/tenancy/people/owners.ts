import type { Sql } from '#lib/platform/database.ts'

/** Who is told when something of the workspace needs a person. */
export async function ownersOf(
  sql: Sql,
  workspaceId: string,
): Promise<{ name: string; email: string; workspaceName: string }[]> {
  const { rows } = await sql.query<{ name: string; email: string; workspaceName: string }>(
    `SELECT u.name, u.email, w.name AS "workspaceName" FROM members m JOIN users u ON u.id = m.user_id
     JOIN workspaces w ON w.id = m.workspace_id WHERE m.workspace_id = $1 AND m.role = 'owner' ORDER BY m.id`,
    [workspaceId],
  )
  return rows
}
