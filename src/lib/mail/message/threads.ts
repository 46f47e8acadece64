import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Sql } from '#lib/platform/database.ts'

/** The thread of the message that one with these headers answers; undefined where it begins one. */
export type ThreadFor = (
  email: Pick<ClaimedEmail, 'id'>,
  headers: Readonly<Record<string, string>>,
) => string | undefined

/**
 * Threads as the provider names them, of what the same enrolment was sent before. Only those of the mailbox that the email
 * leaves from: another one has no such thread.
 */
export async function readThreads(sql: Sql, emails: readonly ClaimedEmail[]): Promise<ThreadFor> {
  const followUps = emails.filter(({ stepNumber }) => (stepNumber ?? 1) > 1).map(({ id }) => id)
  if (followUps.length === 0) return () => undefined
  const { rows } = await sql.query<{ followUpId: string; messageId: string; threadId: string }>(
    `SELECT e.id AS "followUpId", before.message_id AS "messageId", before.thread_id AS "threadId"
     FROM scheduled_emails e JOIN scheduled_emails before
       ON before.campaign_prospect_id = e.campaign_prospect_id AND before.step_number < e.step_number
     WHERE e.id = ANY($1::uuid[]) AND before.status = 'SENT' AND before.mailbox_id = e.mailbox_id
       AND before.message_id IS NOT NULL AND before.thread_id IS NOT NULL`,
    [followUps],
  )
  const threads = new Map(rows.map(({ followUpId, messageId, threadId }) => [`${followUpId} ${messageId}`, threadId]))
  return ({ id }, headers) => threads.get(`${id} ${headers['In-Reply-To'] ?? ''}`)
}
