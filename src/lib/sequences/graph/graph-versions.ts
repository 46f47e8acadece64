import type { Sql } from '#lib/platform/database.ts'
import { type CompiledGraph, compileGraph } from './compile-graph.ts'
import type { SequenceGraph } from './node-types.ts'

/**
 * Keeps the graph as it is now, for good: those who are sent through it go on through it, whatever is edited later. With
 * the sequence locked. A sequence without branches has nothing to keep.
 */
export async function keepGraph(tx: Sql, sequenceId: string, how: 'once' | 'as the next version'): Promise<void> {
  if (how === 'as the next version')
    await tx.query('UPDATE sequences SET graph_version = graph_version + 1 WHERE id = $1', [sequenceId])
  await tx.query(
    `INSERT INTO sequence_graphs (sequence_id, version, graph)
     SELECT id, graph_version, graph FROM sequences WHERE id = $1 AND graph IS NOT NULL ON CONFLICT (sequence_id, version) DO NOTHING`,
    [sequenceId],
  )
}

/** What a person who is planned now goes through; undefined for a sequence without branches. */
export async function readGraph(
  sql: Sql,
  sequenceId: string,
): Promise<{ version: number; graph: SequenceGraph } | undefined> {
  const { rows } = await sql.query<{ version: number; graph: SequenceGraph }>(
    'SELECT graph_version AS version, graph FROM sequences WHERE id = $1 AND graph IS NOT NULL',
    [sequenceId],
  )
  return rows[0]
}

/** Versions that were kept, ready to be gone through, by number. */
export async function readKeptGraphs(
  sql: Sql,
  sequenceId: string,
  versions: readonly number[],
): Promise<Map<number, CompiledGraph>> {
  const { rows } = await sql.query<{ version: number; graph: SequenceGraph }>(
    'SELECT version, graph FROM sequence_graphs WHERE sequence_id = $1 AND version = ANY($2::int[])',
    [sequenceId, [...new Set(versions)]],
  )
  return new Map(rows.map(({ version, graph }) => [version, compileGraph(graph)]))
}
