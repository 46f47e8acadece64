import type { Sql } from '#lib/platform/database.ts'

/** By name; also those that nobody has any more, since a text may still use them. */
export async function listCustomFieldNames(sql: Sql, workspaceId: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    'SELECT name FROM prospect_fields WHERE workspace_id = $1 ORDER BY lower(name), name',
    [workspaceId],
  )
  return rows.map(({ name }) => name)
}

/**
 * Keeps the names of fields that people have. The last statement of a transaction, in one order: who waits for a
 * name that another transaction is about to add holds prospects that the other does not want any more.
 */
export async function rememberFields(tx: Sql, workspaceId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await tx.query(
    `INSERT INTO prospect_fields (workspace_id, name)
     SELECT $1, name FROM unnest($2::text[]) AS wanted(name)
     WHERE NOT EXISTS (SELECT FROM prospect_fields known WHERE known.workspace_id = $1 AND known.name = wanted.name)
     ORDER BY name ON CONFLICT DO NOTHING`,
    [workspaceId, [...new Set(names)]],
  )
}
