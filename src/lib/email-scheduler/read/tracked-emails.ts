import type { Sql } from '#lib/platform/database.ts'
import type { TrackedEmail } from '#lib/tracking/judge-hits.ts'

/** Nothing is told of a person whose data was erased, nor of an email that never left. */
export async function readTrackedEmails(tx: Sql, ids: readonly string[]): Promise<TrackedEmail[]> {
  const { rows } = await tx.query<TrackedEmail>(
    `SELECT e.id AS "emailId", e.workspace_id AS "workspaceId", e.prospect_id AS "prospectId", e.campaign_id AS "campaignId",
       e.sequence_id AS "sequenceId", e.step_number AS "stepNumber", coalesce(e.sent_at, e.submit_started_at) AS "handedOverAt",
       c.tracks_opens AS opens, c.tracks_clicks AS clicks
     FROM scheduled_emails e JOIN campaigns c ON c.id = e.campaign_id
     JOIN prospects p ON p.id = e.prospect_id AND p.erased_at IS NULL
     WHERE e.id = ANY($1::uuid[]) ORDER BY p.id FOR SHARE OF p`,
    [ids],
  )
  return rows
}
