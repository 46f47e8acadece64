import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { EmailRun } from '#lib/sequences/graph/compile-graph.ts'

type Begun = { workspaceId: string; campaignId: string; sequenceId: string; graphVersion: number; run: EmailRun }

/** In the transaction that plans their first emails: from here on each of them is in one place of that version. */
export async function beginJourneys(
  tx: Sql,
  { workspaceId, campaignId, sequenceId, graphVersion, run }: Begun,
  people: readonly { id: string; prospectId: string }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO journeys (enrolment_id, prospect_id, workspace_id, campaign_id, sequence_id, graph_version, state, node_id, last_step)
     SELECT e.id, e.prospect_id, $3, $4, $5, $6, 'EMAIL', $7, $8 FROM unnest($1::uuid[], $2::uuid[]) AS e(id, prospect_id)`,
    [
      plainArray(people.map(({ id }) => id)),
      plainArray(people.map(({ prospectId }) => prospectId)),
      workspaceId,
      campaignId,
      sequenceId,
      graphVersion,
      run.lastNodeId,
      run.stepNumbers.at(-1),
    ],
  )
}
