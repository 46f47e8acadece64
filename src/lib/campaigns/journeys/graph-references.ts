import type { Sql } from '#lib/platform/database.ts'
import type { GraphProblem } from '#lib/sequences/graph/graph-problems.ts'
import { allNodes, type GraphNode, type SequenceGraph } from '#lib/sequences/graph/node-types.ts'

type Named = { id: string; nodeId: string }

/** What a graph names and is not there, or not any more: lists, campaigns and members of the workspace. */
export async function referenceProblems(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  { nodes }: SequenceGraph,
): Promise<GraphProblem[]> {
  const all = [...allNodes(nodes)]
  const named = (pick: (node: GraphNode) => string | undefined): Named[] =>
    all.flatMap((node) => {
      const id = pick(node)
      return id === undefined ? [] : [{ id, nodeId: node.id }]
    })
  const lists = named((node) => ('listId' in node ? node.listId : undefined))
  const campaigns = named((node) => (node.type === 'move' ? node.campaignId : undefined))
  const people = named((node) => (node.type === 'notify' ? node.personId : undefined))
  const known = async (wanted: readonly Named[], text: string, ...more: unknown[]) => {
    if (wanted.length === 0) return new Set<string>()
    const { rows } = await sql.query<{ id: string }>(text, [workspaceId, wanted.map(({ id }) => id), ...more])
    return new Set(rows.map(({ id }) => id))
  }
  const found = [
    {
      wanted: lists,
      there: await known(
        lists,
        'SELECT id FROM prospect_lists WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND archived_at IS NULL',
      ),
      sentence: 'This list is not there, or is archived; choose another.',
    },
    {
      wanted: campaigns,
      there: await known(
        campaigns,
        `SELECT id FROM campaigns WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND archived_at IS NULL AND status <> 'STOPPED' AND sequence_id <> $3`,
        sequenceId,
      ),
      sentence: 'This campaign takes nobody in, or sends this very sequence; choose one with another sequence.',
    },
    {
      wanted: people,
      there: await known(
        people,
        'SELECT user_id AS id FROM members WHERE workspace_id = $1 AND user_id = ANY($2::uuid[])',
      ),
      sentence: 'This person is not a member of the workspace; choose another.',
    },
  ]
  return found.flatMap(({ wanted, there, sentence }) =>
    wanted.filter(({ id }) => !there.has(id)).map(({ nodeId }) => ({ nodeId, sentence })),
  )
}
