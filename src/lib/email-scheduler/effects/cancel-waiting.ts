import { ACTION_REASONS, type ActionReason } from '#lib/actions/reasons.ts'
import { leaveJourneys } from '#lib/campaigns/journeys/leave.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { FREE_THEIR_PLACES } from './freed-places.ts'

export type Owner = { campaignId: string } | { prospectId: string } | { enrolmentIds: readonly string[] }

/**
 * Cancels everything that waits for a campaign, a prospect or enrolments, in one statement. The caller has changed the campaign's or
 * prospect's row (or locked it, for enrolments) in the same transaction and so holds its lock: a transaction about to put an email back into the queue
 * waits for that lock and then finds the stop. What a worker holds is left to its mark, settling or recovery. The emails
 * are locked by id, like everywhere: who stops a campaign and whose prospect leaves at that moment wait for each other.
 */
export async function cancelWaiting(tx: Sql, workspaceId: string, owner: Owner, reason: CancelReason): Promise<number> {
  const [theirs, id] = ownedBy(owner)
  const { rows } = await tx.query<{ count: number }>(
    `WITH waiting AS MATERIALIZED (
       SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND ${theirs} AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')
       ORDER BY id FOR UPDATE
     ), cancelled AS (UPDATE scheduled_emails e SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = $3,
       next_retry_at = NULL, ready_at = NULL, blocker = NULL, updated_at = app_now()
     FROM waiting WHERE e.id = waiting.id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')
     RETURNING e.*), ${FREE_THEIR_PLACES}
     SELECT count(*)::int AS count FROM cancelled`,
    [workspaceId, id, reason],
  )
  if (!('campaignId' in owner) && isLeaving(reason)) await leaveJourneys(tx, owner, reason)
  return rows[0]?.count ?? 0
}

/** Where nothing more is sent to them, nothing waits for them in a sequence that branches either. */
function isLeaving(reason: CancelReason): reason is CancelReason & ActionReason {
  return Object.hasOwn(ACTION_REASONS, reason)
}

function ownedBy(owner: Owner): [string, string] {
  if ('campaignId' in owner) return ['campaign_id = $2', owner.campaignId]
  if ('enrolmentIds' in owner) return ['campaign_prospect_id = ANY($2::uuid[])', plainArray(owner.enrolmentIds)]
  return ['campaign_prospect_id IN (SELECT id FROM campaign_prospects WHERE prospect_id = $2)', owner.prospectId]
}

/**
 * The same for a campaign that is known to be stopped, a batch at a time: nothing puts anything back into its queue any
 * more, so that what is left can wait for the next call.
 */
export async function cancelSomeWaiting(
  tx: Sql,
  workspaceId: string,
  campaignId: string,
  limit: number,
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `WITH cancelled AS (UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(),
       cancel_reason = '${'CAMPAIGN_STOPPED' satisfies CancelReason}', next_retry_at = NULL, ready_at = NULL, blocker = NULL, updated_at = app_now()
     WHERE id IN (SELECT e.id FROM scheduled_emails e JOIN campaigns c ON c.id = e.campaign_id
         WHERE c.workspace_id = $1 AND c.id = $2 AND c.status = 'STOPPED' AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')
         ORDER BY e.id LIMIT $3 FOR UPDATE OF e)
       AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')
     RETURNING *), ${FREE_THEIR_PLACES}
     SELECT count(*)::int AS count FROM cancelled`,
    [workspaceId, campaignId, limit],
  )
  return rows[0]?.count ?? 0
}
