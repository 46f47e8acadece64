import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'

/** Whose emails a cure reaches. The caller has changed, and so locked, the row that was in their way. */
export type Cured = { prospectIds: readonly string[] } | { mailboxId: string } | { sequenceId: string }

/** Guards that park what they refuse, and that a person's act lifts. */
export type Curable = Extract<GuardName, 'prospect-active' | 'merge-fields-complete' | 'mailbox-connected'>

/**
 * What a guard has parked waits again, now that it is lifted; answers how many emails. The guard looks again
 * at the mark, so an email that was cured only in part is parked once more. What should have left by now is due at once,
 * the oldest first: it had its turn. A step whose predecessor is not sent goes on waiting for that.
 */
export async function unpark(tx: Sql, workspaceId: string, whose: Cured, guard: Curable): Promise<number> {
  const [theirs, id] = ownedBy(whose)
  const { rowCount } = await tx.query(
    `WITH parked AS MATERIALIZED (
       SELECT id FROM scheduled_emails
       WHERE workspace_id = $1 AND ${theirs} AND blocker = $3 AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')
       ORDER BY id FOR UPDATE
     )
     UPDATE scheduled_emails e SET blocker = NULL, updated_at = app_now(),
       ready_at = CASE WHEN e.next_retry_at IS NOT NULL THEN e.next_retry_at
         WHEN NOT EXISTS (SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id
           AND b.step_number < e.step_number AND b.status <> 'SENT') THEN e.scheduled_for END
     FROM parked WHERE e.id = parked.id AND e.blocker = $3 AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')`,
    [workspaceId, id, guard],
  )
  return rowCount ?? 0
}

/** What is parked has an index of its own (workspace, blocker, mailbox), so that no queue of millions is walked. */
function ownedBy(whose: Cured): [string, string | readonly string[]] {
  if ('prospectIds' in whose)
    return [
      'campaign_prospect_id IN (SELECT id FROM campaign_prospects WHERE prospect_id = ANY($2::uuid[]))',
      whose.prospectIds,
    ]
  if ('mailboxId' in whose) return ['mailbox_id = $2', whose.mailboxId]
  return ['campaign_id IN (SELECT id FROM campaigns WHERE sequence_id = $2)', whose.sequenceId]
}
