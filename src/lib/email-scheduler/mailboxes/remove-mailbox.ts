import { mayHaveArrived } from '#lib/campaigns/may-have-arrived.ts'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import { cellsOf } from '#lib/email-scheduler/queue/email-counts.ts'
import { NO_ID } from '#lib/email-scheduler/queue/outbox-source.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { tellOfMailbox } from './change-mailbox.ts'
import { lockAnyMailbox, type Mailbox, refuseArchivedMailbox } from './mailbox.ts'

/**
 * How many emails are looked through for those of the mailbox, where there are more as many of each day as of another; and
 * how many of its own are asked whether they go on in a thread. In the order of the index, or else the queue would be read for them.
 */
const LOOKED_THROUGH_MAX = 10_000
const LOOKED_AT_MAX = 1_000

export type RemovalEffect = {
  /** Emails that wait for it, all of them. */
  waiting: number
  /**
   * Of these, those that need a taker, while the plan finds the others a mailbox: what answers in a thread which it began,
   * retries, and what programs have asked for.
   */
  followUps: number
  /** Looking stopped there: at least that many need a taker. */
  isMore: boolean
}

const WENT_BEFORE = `EXISTS (SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id
  AND b.step_number < e.step_number AND b.status IN ('SENT', 'OUTCOME_UNKNOWN'))`

/**
 * How much waits is told by the counts, and so is on which days of which campaigns it does. It is looked for there: an
 * index of what waits for a mailbox would be written by every email, for this question alone.
 */
export async function readRemovalEffect(sql: Sql, workspaceId: string, id: string): Promise<RemovalEffect> {
  const { text, values } = cellsOf(workspaceId, { mailboxId: id })
  const { rows } = await sql.query<RemovalEffect>(
    `WITH cell AS MATERIALIZED (
       SELECT campaign_id, status, local_date, sum(emails)::int AS emails FROM (${text}) cells
       WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED') GROUP BY 1, 2, 3 HAVING sum(emails) > 0
     ), place AS MATERIALIZED (
       SELECT campaign_id, local_date FROM cell WHERE campaign_id <> '${NO_ID}' AND status = 'SCHEDULED'
     ), around AS MATERIALIZED (
       SELECT coalesce(sum(emails), 0) AS emails FROM (
         SELECT campaign_id, local_date, status, emails FROM email_counts WHERE workspace_id = $1 AND mailbox_id = '${NO_ID}'
         UNION ALL SELECT campaign_id, local_date, status, change FROM email_count_changes WHERE workspace_id = $1) all_of_them
       WHERE status = 'SCHEDULED' AND (campaign_id, local_date) IN (SELECT campaign_id, local_date FROM place)
     ), share AS MATERIALIZED (
       SELECT CASE WHEN emails > ${LOOKED_THROUGH_MAX} THEN ceil(${LOOKED_THROUGH_MAX}::numeric / (SELECT count(*) FROM place))::int END AS most
       FROM around
     ), later AS MATERIALIZED (
       SELECT e.* FROM place CROSS JOIN LATERAL (
         SELECT campaign_prospect_id, step_number, mailbox_id FROM scheduled_emails
         WHERE campaign_id = place.campaign_id AND status = 'SCHEDULED' AND local_date = place.local_date
         ORDER BY coalesce(sent_at, next_retry_at, scheduled_for), id LIMIT (SELECT most FROM share)) e
       WHERE e.mailbox_id = $2 AND e.step_number > 1 LIMIT ${LOOKED_AT_MAX}
     )
     SELECT coalesce(sum(emails), 0)::int AS waiting,
       (coalesce(sum(emails) FILTER (WHERE status = 'RETRY_SCHEDULED' OR campaign_id = '${NO_ID}'), 0)
         + (SELECT count(*) FROM later e WHERE ${WENT_BEFORE}))::int AS "followUps",
       (SELECT most IS NOT NULL FROM share) OR (SELECT count(*) FROM later) = ${LOOKED_AT_MAX} AS "isMore"
     FROM cell`,
    values,
  )
  return rows[0] ?? { waiting: 0, followUps: 0, isMore: false }
}

/**
 * Out of sight and out of use; the row stays, for the counts of its address and for what was sent from it. What waits for
 * it is planned on the taker by the next tick (plan/takers.ts); retries and what is in no plan keep their time, and move at
 * once.
 */
export async function archiveMailbox(
  tx: Sql,
  workspaceId: string,
  id: string,
  takenOverBy: string | null,
  actor: Actor,
): Promise<void> {
  if (takenOverBy === id) throw notItself()
  const ids = [id, ...(takenOverBy ? [takenOverBy] : [])].sort()
  const locked = new Map<string, Mailbox>()
  for (const each of ids) locked.set(each, await lockAnyMailbox(tx, workspaceId, each))
  const [before, taker] = [locked.get(id), takenOverBy ? locked.get(takenOverBy) : undefined]
  // Twice is once.
  if (!before || before.status === 'ARCHIVED') return
  if (taker) refuseArchivedMailbox(taker)
  await refuseWhileSending(tx, id)
  await tx.query(
    `UPDATE mailboxes SET status = 'ARCHIVED', stopped_reason = NULL, taken_over_by_id = $2, updated_at = app_now() WHERE id = $1`,
    [id, takenOverBy],
  )
  if (takenOverBy) await handOnUnplanned(tx, workspaceId, id, takenOverBy)
  await tellOfMailbox(tx, workspaceId, 'mailbox.archived', before, actor, taker && { takenOverBy: taker.address })
}

/** What is in flight comes back to the mailbox that it left from, and would wait there for ever. */
async function refuseWhileSending(tx: Sql, mailboxId: string): Promise<void> {
  const { rows } = await tx.query(`SELECT FROM scheduled_emails WHERE mailbox_id = $1 AND status = 'SENDING' LIMIT 1`, [
    mailboxId,
  ])
  if (rows.length === 0) return
  throw new PublicError(
    409,
    'mailbox-sending',
    'An email is leaving this mailbox at the moment. Pause it, and remove it in two minutes.',
  )
}

/** Written anew, since the sender is another, unless it may have arrived: then the same bytes go or none. */
async function handOnUnplanned(tx: Sql, workspaceId: string, from: string, to: string): Promise<void> {
  await tx.query(
    `UPDATE scheduled_emails e SET mailbox_id = $3, updated_at = app_now(),
       content_token = CASE WHEN ${mayHaveArrived('e')} OR kind = 'TRANSACTIONAL' THEN content_token END
     FROM (SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND mailbox_id = $2
         AND (status = 'RETRY_SCHEDULED' OR (status = 'SCHEDULED' AND kind = 'TRANSACTIONAL'))
       ORDER BY id FOR UPDATE) waiting
     WHERE e.id = waiting.id`,
    [workspaceId, from, to],
  )
  await unpark(tx, workspaceId, { mailboxId: to }, 'mailbox-connected')
}

const notItself = () =>
  new PublicError(400, 'takes-over-itself', 'A mailbox cannot take over what waits for itself. Choose another.')
