import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'

/**
 * Locks the campaigns and prospects of these emails (of a transactional one, its recipient), in the order that everybody
 * keeps (campaign, prospect, email, by id), and answers which of the emails are no longer wanted, and why. A transaction that puts an email back into the queue asks
 * here first, in a statement of its own before any email is locked: a stop that was answered before the lock is seen,
 * and one that comes later waits and then finds the email waiting. So nothing stays scheduled in a stopped campaign.
 *
 * `exclusive` (for what a person does) also keeps others from moving emails of the same prospects until it ends.
 */
export async function lockOwners(
  tx: Sql,
  emailIds: readonly string[],
  mode: 'shared' | 'exclusive' = 'shared',
): Promise<Map<string, CancelReason>> {
  if (emailIds.length === 0) return new Map()
  await tx.query(
    `SELECT FROM campaigns WHERE id IN (SELECT campaign_id FROM scheduled_emails WHERE id = ANY($1::uuid[]))
     ORDER BY id FOR SHARE`,
    [emailIds],
  )
  await tx.query(
    `SELECT FROM prospects WHERE id IN (SELECT prospect_id FROM scheduled_emails WHERE id = ANY($1::uuid[]))
     ORDER BY id FOR ${mode === 'exclusive' ? 'NO KEY UPDATE' : 'SHARE'}`,
    [emailIds],
  )
  const erased = await tx.query<{ id: string; isErased: boolean }>(
    `SELECT email_id AS id, erased_at IS NOT NULL AS "isErased" FROM email_recipients
     WHERE email_id = ANY($1::uuid[]) AND position = 0 ORDER BY email_id FOR SHARE`,
    [emailIds],
  )
  // A campaign's reasons do not touch transactional email: it has neither campaign nor prospect.
  const { rows } = await tx.query<{ id: string; reason: CancelReason }>(
    `SELECT id, reason FROM (
       SELECT e.id, CASE
         WHEN c.status = 'STOPPED' THEN '${'CAMPAIGN_STOPPED' satisfies CancelReason}'
         WHEN p.erased_at IS NOT NULL THEN '${'PROSPECT_ERASED' satisfies CancelReason}'
         WHEN p.merged_into_id IS NOT NULL THEN '${'PROSPECT_MERGED' satisfies CancelReason}'
         WHEN p.archived_at IS NOT NULL THEN '${'PROSPECT_ARCHIVED' satisfies CancelReason}'
         WHEN p.unsubscribed_at IS NOT NULL THEN '${'PROSPECT_UNSUBSCRIBED' satisfies CancelReason}'
         WHEN p.bounced_at IS NOT NULL THEN '${'PROSPECT_BOUNCED' satisfies CancelReason}'
         WHEN p.replied_at IS NOT NULL THEN '${'PROSPECT_REPLIED' satisfies CancelReason}'
       END AS reason
       FROM scheduled_emails e JOIN campaigns c ON c.id = e.campaign_id JOIN prospects p ON p.id = e.prospect_id
       WHERE e.id = ANY($1::uuid[])
     ) looked_at WHERE reason IS NOT NULL`,
    [emailIds],
  )
  return new Map([
    ...rows.map(({ id, reason }) => [id, reason] as const),
    ...erased.rows.filter(({ isErased }) => isErased).map(({ id }) => [id, 'PROSPECT_ERASED'] as const),
  ])
}
