import type { NonRetryableErrorCode } from '#lib/email-scheduler/error-codes.ts'
import { retryFailed } from '#lib/email-scheduler/verbs/retry.ts'
import type { Sql } from '#lib/platform/database.ts'

const OF_LOGIN: readonly NonRetryableErrorCode[] = ['AUTH_REVOKED', 'TOKEN_EXPIRED']

/** What failed for good because the mailbox's login was refused, and nobody has dismissed. */
export async function failedByLogin(sql: Sql, workspaceId: string, mailboxId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM scheduled_emails
     WHERE workspace_id = $1 AND status = 'PERMANENTLY_FAILED' AND dismissed_at IS NULL
       AND mailbox_id = $2 AND last_error_code = ANY($3::text[])
     ORDER BY id`,
    [workspaceId, mailboxId, OF_LOGIN],
  )
  return rows.map(({ id }) => id)
}

/** Starts them over; answers how many. Those of stopped campaigns, and of people who have left, stay failed. */
export async function retryFailedByLogin(tx: Sql, workspaceId: string, mailboxId: string): Promise<number> {
  const answers = await retryFailed(tx, workspaceId, await failedByLogin(tx, workspaceId, mailboxId))
  return answers.filter(({ answer }) => answer === 'done').length
}
