/**
 * To follow a CTE named `cancelled` that returns the cancelled rows whole: tells the planner which places on planned
 * days became free. Inserted and not subtracted, so that a cancellation never waits for the planner, nor the
 * planner for them (see planned-days.ts).
 */
export const FREE_THEIR_PLACES = `freed AS (
  INSERT INTO freed_places (workspace_id, mailbox_id, plan_version, local_date, emails)
  SELECT workspace_id, mailbox_id, plan_version, local_date, count(*) FROM cancelled
  WHERE kind = 'CAMPAIGN' GROUP BY 1, 2, 3, 4)`
