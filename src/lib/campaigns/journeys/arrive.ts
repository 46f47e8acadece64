import type { Sql } from '#lib/platform/database.ts'
import type { JourneyState } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

export type Arrival = {
  enrolmentId: string
  state: Extract<JourneyState, 'PLAN' | 'WAITING' | 'BRANCH'>
  nodeId: string
  arrivedAt: Date
}

/** People have come to rest at their next places. Their journeys are locked. */
export async function arrive(tx: Sql, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return
  await tx.query(
    `UPDATE journeys j SET state = a.state, node_id = a.node_id, arrived_at = a.at
     FROM unnest($1::uuid[], $2::journey_state[], $3::text[], $4::timestamptz[]) AS a(id, state, node_id, at)
     WHERE j.enrolment_id = a.id AND j.state <> 'ENDED'`,
    [
      plainArray(arrivals.map(({ enrolmentId }) => enrolmentId)),
      plainArray(arrivals.map(({ state }) => state)),
      arrivals.map(({ nodeId }) => nodeId),
      arrivals.map(({ arrivedAt }) => arrivedAt),
    ],
  )
}
