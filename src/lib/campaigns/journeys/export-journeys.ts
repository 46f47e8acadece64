import type { Sql } from '#lib/platform/database.ts'

type Row = Record<string, unknown>

/** The ways of these prospects, who are one person, through sequences that branch: for the export of the person. */
export async function exportJourneys(
  tx: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
): Promise<{ journeys: Row[]; journeySteps: Row[]; journeyWaits: Row[] }> {
  const rows = async (sql: string) => (await tx.query<Row>(sql, [workspaceId, prospectIds])).rows
  return {
    journeys: await rows(
      `SELECT j.enrolment_id AS "enrolmentId", c.name AS campaign, j.prospect_id AS "prospectId", j.state, j.node_id AS "nodeId", j.round,
         j.graph_version AS "graphVersion", j.anchored_at AS "anchoredAt", j.arrived_at AS "arrivedAt", j.ended_at AS "endedAt",
         j.ended_reason AS "endedReason"
       FROM journeys j JOIN campaigns c ON c.id = j.campaign_id
       WHERE j.workspace_id = $1 AND j.prospect_id = ANY($2::uuid[]) ORDER BY j.enrolment_id`,
    ),
    journeySteps: await rows(
      `SELECT s.enrolment_id AS "enrolmentId", s.node_id AS "nodeId", s.round, s.what, s.note, s.at
       FROM journey_steps s JOIN journeys j ON j.enrolment_id = s.enrolment_id
       WHERE j.workspace_id = $1 AND j.prospect_id = ANY($2::uuid[]) ORDER BY s.id`,
    ),
    journeyWaits: await rows(
      `SELECT w.enrolment_id AS "enrolmentId", w.node_id AS "nodeId", w.round, w.event_type AS "eventType", w.event_name AS "eventName",
         w.anchored_at AS "anchoredAt", w.deadline, w.outcome, w.outcome_at AS "outcomeAt"
       FROM journey_waits w JOIN journeys j ON j.enrolment_id = w.enrolment_id
       WHERE j.workspace_id = $1 AND j.prospect_id = ANY($2::uuid[]) ORDER BY w.created_at, w.id`,
    ),
  }
}
