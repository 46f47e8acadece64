import type { Sql } from '#lib/platform/database.ts'

/** People of whom a part of the address or name is known, whatever their state; merged and erased ones are nobody's. */
export async function findProspectIds(sql: Sql, workspaceId: string, search: string, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT p.id FROM prospects p
     WHERE p.workspace_id = $1 AND p.erased_at IS NULL AND p.merged_into_id IS NULL
       AND lower(coalesce(p.email, '') || ' ' || coalesce(p.first_name, '') || ' ' || coalesce(p.last_name, '') || ' ' || coalesce(p.company, '')) LIKE lower($2)
     LIMIT $3`,
    [workspaceId, `%${search.normalize('NFC').replaceAll(/[\\%_]/g, '\\$&')}%`, limit],
  )
  return rows.map(({ id }) => id)
}
