import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

export type ErasedRecipients = {
  /** Emails that were for the person: nothing is left of what they said. */
  emailIds: string[]
  cancelledEmails: number
}

/**
 * Takes these addresses out of the workspace's transactional email. What was for them is emptied, and cancelled where it
 * waits; of what another person gets, only the blind copy is dropped. The recipients are changed before any email is locked,
 * as `lockOwners` has it: who puts an email back at that moment is waited for, or finds the person gone.
 */
export async function eraseRecipients(
  tx: Sql,
  workspaceId: string,
  addresses: readonly string[],
): Promise<ErasedRecipients> {
  const { rows } = await tx.query<{ id: string; position: number }>(
    `WITH theirs AS MATERIALIZED (
       SELECT email_id, position FROM email_recipients WHERE workspace_id = $1 AND address = ANY($2::text[])
       ORDER BY email_id, position FOR NO KEY UPDATE)
     UPDATE email_recipients r SET address = NULL, erased_at = app_now() FROM theirs
     WHERE r.email_id = theirs.email_id AND r.position = theirs.position RETURNING r.email_id AS id, r.position`,
    [workspaceId, addresses],
  )
  const emailIds = rows.filter(({ position }) => position === 0).map(({ id }) => id)
  const cancelled = await tx.query(
    `WITH waiting AS MATERIALIZED (
       SELECT id FROM scheduled_emails WHERE id = ANY($1::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') ORDER BY id FOR UPDATE
     ) UPDATE scheduled_emails e SET status = 'CANCELLED', cancelled_at = app_now(),
       cancel_reason = '${'PROSPECT_ERASED' satisfies CancelReason}', next_retry_at = NULL, ready_at = NULL, blocker = NULL, updated_at = app_now()
     FROM waiting WHERE e.id = waiting.id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')`,
    [plainArray(emailIds)],
  )
  await emptyFor(
    tx,
    rows.map(({ id }) => id),
  )
  return { emailIds, cancelledEmails: cancelled.rowCount ?? 0 }
}

/** Of these emails, what was written about recipients who have been erased since. By the writer, in the same transaction. */
export async function emptyLate(tx: Sql, emailIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    'SELECT DISTINCT email_id AS id FROM email_recipients WHERE email_id = ANY($1::uuid[]) AND erased_at IS NOT NULL',
    [emailIds],
  )
  if (rows.length > 0)
    await emptyFor(
      tx,
      rows.map(({ id }) => id),
    )
}

/** What providers said names a blind copy too; what the email said belongs to the one whom it is for. */
async function emptyFor(tx: Sql, emailIds: readonly string[]): Promise<void> {
  if (emailIds.length === 0) return
  await tx.query(
    `UPDATE scheduled_emails SET last_error = NULL, updated_at = app_now() WHERE id IN (
       SELECT id FROM scheduled_emails WHERE id = ANY($1::uuid[]) AND last_error IS NOT NULL ORDER BY id FOR UPDATE)`,
    [emailIds],
  )
  await tx.query(
    `UPDATE email_attempts SET provider_text = NULL, evidence_text = NULL, receipt = NULL
     WHERE email_id = ANY($1::uuid[]) AND num_nonnulls(provider_text, evidence_text, receipt) > 0`,
    [emailIds],
  )
  await tx.query(
    `UPDATE email_contents c SET to_name = '', to_address = '', subject = '', body_text = '', body_html = '', headers = '{}',
       erased_at = app_now()
     FROM email_recipients r WHERE r.email_id = ANY($1::uuid[]) AND r.position = 0 AND r.erased_at IS NOT NULL
       AND c.email_id = r.email_id AND c.erased_at IS NULL`,
    [emailIds],
  )
}
