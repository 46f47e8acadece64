import type { Sql } from '#lib/platform/database.ts'
import { compileGraph, type EmailRun, emailsFrom } from '#lib/sequences/graph/compile-graph.ts'
import { readGraph } from '#lib/sequences/graph/graph-versions.ts'
import { readWrittenSteps, type WrittenStep } from '#lib/sequences/steps.ts'

/** What is planned for people as they begin: of a sequence that branches, the emails up to where it may. */
export type PlannedRun = {
  steps: WrittenStep[]
  /** All of the sequence: a person needs the fields of every one, whichever way they go. */
  all: WrittenStep[]
  branching: { graphVersion: number; run: EmailRun } | null
}

export async function readPlannedRun(sql: Sql, sequenceId: string): Promise<PlannedRun> {
  const all = await readWrittenSteps(sql, sequenceId)
  const kept = await readGraph(sql, sequenceId)
  if (!kept) return { steps: all, all, branching: null }
  const graph = compileGraph(kept.graph)
  const run = graph.first === null ? { stepNumbers: [], lastNodeId: '' } : emailsFrom(graph, graph.first)
  const steps = all.filter(({ stepNumber }) => run.stepNumbers.includes(stepNumber))
  return { steps, all, branching: { graphVersion: kept.version, run } }
}
