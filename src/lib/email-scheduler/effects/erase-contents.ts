import type { Sql } from '#lib/platform/database.ts'

/**
 * Empties what was frozen for these prospects, who have been erased in the same transaction: that something was sent, when
 * and from where stays; to whom and what it said does not.
 */
export async function eraseContents(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE email_contents c SET to_name = '', to_address = '', subject = '', body_text = '', body_html = '', headers = '{}',
       erased_at = app_now()
     FROM campaign_prospects p JOIN scheduled_emails e ON e.campaign_prospect_id = p.id
     WHERE p.workspace_id = $1 AND p.prospect_id = ANY($2::uuid[]) AND c.email_id = e.id AND c.erased_at IS NULL`,
    [workspaceId, prospectIds],
  )
}
