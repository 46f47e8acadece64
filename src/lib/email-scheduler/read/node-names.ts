import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { CompiledGraph } from '#lib/sequences/graph/compile-graph.ts'
import type { NodeNames } from './forecast-path.ts'

/** What its lists, campaigns and members are called, each of this workspace; of an archived one too. */
export async function readNodeNames(sql: Sql, workspaceId: string, { nodes }: CompiledGraph): Promise<NodeNames> {
  const all = [...nodes.values()].map(({ node }) => node)
  const lists = all.flatMap((node) => ('listId' in node ? [node.listId] : []))
  const campaigns = all.flatMap((node) => (node.type === 'move' ? [node.campaignId] : []))
  const people = all.flatMap((node) => (node.type === 'notify' ? [node.personId] : []))
  if (lists.length + campaigns.length + people.length === 0) return new Map()
  const { rows } = await sql.query<{ id: string; name: string }>(
    `SELECT id, name FROM prospect_lists WHERE workspace_id = $1 AND id = ANY($2::uuid[])
     UNION ALL SELECT id, name FROM campaigns WHERE workspace_id = $1 AND id = ANY($3::uuid[])
     UNION ALL SELECT u.id, u.name FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND u.id = ANY($4::uuid[])`,
    [workspaceId, plainArray(lists), plainArray(campaigns), plainArray(people)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
