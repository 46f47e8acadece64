import type { Sql } from '#lib/platform/database.ts'

/**
 * Empties what was frozen of a workspace's transactional emails that will not be sent any more, for good: an email whose
 * links are secrets keeps them no longer than it needs them. That it was sent, and when, stays.
 */
export async function emptyCopies(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query(
    `WITH over AS MATERIALIZED (
       SELECT c.email_id, c.content_token FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id
       WHERE e.workspace_id = $1 AND e.kind = 'TRANSACTIONAL' AND c.erased_at IS NULL
         AND e.status IN ('SENT', 'OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED', 'CANCELLED')
       FOR NO KEY UPDATE OF c SKIP LOCKED)
     UPDATE email_contents c SET to_name = '', to_address = '', subject = '', body_text = '', body_html = '', headers = '{}',
       erased_at = app_now()
     FROM over WHERE c.email_id = over.email_id AND c.content_token = over.content_token`,
    [workspaceId],
  )
}
