import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** Adds people to a list or takes them from it, by a sequence that they go through. Answers whether the list takes changes. */
export async function changeMembers(
  tx: Sql,
  workspaceId: string,
  how: 'add' | 'remove',
  listId: string,
  prospectIds: readonly string[],
): Promise<boolean> {
  const { rows } = await tx.query(
    'SELECT FROM prospect_lists WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL FOR KEY SHARE',
    [workspaceId, listId],
  )
  if (rows.length === 0) return false
  const values = [workspaceId, plainArray(prospectIds), listId]
  if (how === 'add')
    await tx.query(
      `INSERT INTO list_members (list_id, prospect_id) SELECT $3, id FROM prospects
       WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND erased_at IS NULL AND merged_into_id IS NULL
       ORDER BY id ON CONFLICT DO NOTHING`,
      values,
    )
  else
    await tx.query(
      `DELETE FROM list_members m USING prospects p WHERE p.workspace_id = $1 AND p.id = ANY($2::uuid[]) AND m.prospect_id = p.id AND m.list_id = $3`,
      values,
    )
  return true
}
