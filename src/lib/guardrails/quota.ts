import type { Sql } from '#lib/platform/database.ts'

/** How many emails the workspace has sent, or holds places for, on one of its local dates. */
export async function getDailySentCount(sql: Sql, workspaceId: string, localDate: string): Promise<number> {
  const { rows } = await sql.query<{ reserved: number }>(
    'SELECT reserved FROM workspace_days WHERE workspace_id = $1 AND local_date = $2',
    [workspaceId, localDate],
  )
  return rows[0]?.reserved ?? 0
}
