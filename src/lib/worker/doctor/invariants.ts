import type { CancelReason, MoveReason } from '#lib/email-scheduler/reasons.ts'

/** Something that is never so in a database that is well. */
export type Invariant = {
  name: string
  /** What it means that there are any, for a person; begins after their number. */
  sentence: string
  /** The ids of what offends. */
  sql: string
}

/** What ticks clear up by themselves is no fault before so much time has passed. */
const LONG_AGO = `app_now() - interval '15 minutes'`

const WAITING = `('SCHEDULED', 'RETRY_SCHEDULED')`
const ACCEPTED = `(a.outcome = 'ACCEPTED' OR a.evidence = 'ACCEPTED')`
const hasEvent = (reason: MoveReason) =>
  `EXISTS (SELECT FROM email_events v WHERE v.email_id = e.id AND v.reason = '${reason}')`

/** May have been sent on that date, so that it counts there. A dismissed one was handed over as well. */
const HOLDS_PLACE = `(e.status IN ('SENT', 'SENDING', 'OUTCOME_UNKNOWN')
  OR (e.status = 'CANCELLED' AND e.cancel_reason = '${'DISMISSED' satisfies CancelReason}' AND e.marked_token IS NOT NULL))`

/** In the order of the promise: never twice, never lost, honest, polite. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'accepted-once',
    sentence: 'emails were accepted more than once, and no person had chosen to send them again.',
    sql: `SELECT e.id FROM (SELECT email_id FROM email_attempts a WHERE ${ACCEPTED} GROUP BY 1 HAVING count(*) > 1) twice
      JOIN scheduled_emails e ON e.id = twice.email_id WHERE NOT ${hasEvent('SENT_AGAIN_BY_PERSON')}`,
  },
  {
    name: 'one-email-for-each-key',
    sentence:
      'keys have more than one email: the unique index is damaged, and nothing may be sent before it is rebuilt.',
    sql: `SELECT idempotency_key AS id FROM scheduled_emails GROUP BY 1 HAVING count(*) > 1`,
  },
  {
    name: 'accepted-is-over',
    sentence: 'emails are not over, although an attempt is known to have been accepted.',
    sql: `SELECT e.id FROM scheduled_emails e WHERE e.status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'OUTCOME_UNKNOWN', 'CANCELLED')
      AND (e.accepted_token IS NOT NULL OR (e.marked_token IS NOT NULL AND EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND ${ACCEPTED})))`,
  },
  {
    name: 'sent-is-accepted',
    sentence: 'emails are SENT, although no attempt was accepted and nobody took them as delivered.',
    sql: `SELECT e.id FROM scheduled_emails e WHERE e.status = 'SENT'
      AND NOT EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND ${ACCEPTED}) AND NOT ${hasEvent('ASSUMED_DELIVERED')}`,
  },
  {
    name: 'unknown-was-marked',
    sentence: 'emails have an unknown outcome, although they were never handed over.',
    sql: `SELECT e.id FROM scheduled_emails e WHERE e.status = 'OUTCOME_UNKNOWN' AND (e.marked_token IS NULL
      OR NOT EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND a.lease_token = e.marked_token AND a.outcome = 'UNKNOWN'))`,
  },
  {
    name: 'handed-over-is-kept',
    sentence: 'emails were handed over, and no copy of what went out was kept.',
    sql: `SELECT DISTINCT a.email_id AS id FROM email_attempts a WHERE a.marked_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM email_contents t WHERE t.email_id = a.email_id)`,
  },
  {
    name: 'ledger-balances',
    sentence: 'campaigns have another number of emails than their planned prospects have steps.',
    sql: `SELECT c.id FROM campaigns c
      LEFT JOIN (SELECT campaign_id, sum(planned_steps) AS steps FROM campaign_prospects GROUP BY 1) w ON w.campaign_id = c.id
      LEFT JOIN (SELECT campaign_id, count(*) AS emails FROM scheduled_emails WHERE campaign_id IS NOT NULL GROUP BY 1) e ON e.campaign_id = c.id
      WHERE coalesce(w.steps, 0) <> coalesce(e.emails, 0)`,
  },
  {
    name: 'failed-has-a-verdict',
    sentence: 'emails failed, and what follows was never decided.',
    sql: `SELECT id FROM scheduled_emails WHERE status = 'FAILED'`,
  },
  {
    name: 'leases-end',
    sentence: 'emails have been with a worker for long after their lease ended: no tick recovers them.',
    sql: `SELECT id FROM scheduled_emails WHERE status = 'SENDING' AND lease_until < ${LONG_AGO}`,
  },
  {
    name: 'next-step-comes',
    sentence: 'emails wait for a step that is sent already: nothing sets them going.',
    sql: `SELECT e.id FROM scheduled_emails e JOIN workspace_plans w ON w.workspace_id = e.workspace_id
      WHERE e.kind = 'CAMPAIGN' AND e.status = 'SCHEDULED' AND e.ready_at IS NULL AND e.blocker IS NULL AND e.plan_version = w.version
        AND w.basis = plan_basis(e.workspace_id)
        AND NOT EXISTS (SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id AND b.step_number < e.step_number AND b.status <> 'SENT')`,
  },
  {
    name: 'nothing-waits-in-vain',
    sentence: 'emails wait for a step that will not be sent.',
    sql: `SELECT e.id FROM scheduled_emails e WHERE e.kind = 'CAMPAIGN' AND e.status IN ${WAITING} AND EXISTS (
      SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id AND b.step_number < e.step_number
        AND b.status IN ('CANCELLED', 'PERMANENTLY_FAILED'))`,
  },
  {
    name: 'steps-in-order',
    sentence: 'emails may be claimed, although the step before them is not sent.',
    sql: `SELECT e.id FROM scheduled_emails e WHERE e.kind = 'CAMPAIGN' AND e.status IN ${WAITING} AND e.ready_at IS NOT NULL AND EXISTS (
      SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id AND b.step_number < e.step_number AND b.status <> 'SENT')`,
  },
  {
    name: 'nothing-waits-in-a-stopped-campaign',
    sentence: 'emails wait in campaigns that were stopped: ticks should have cancelled them.',
    sql: `SELECT e.id FROM campaigns c JOIN scheduled_emails e ON e.campaign_id = c.id
      WHERE c.status = 'STOPPED' AND c.updated_at < ${LONG_AGO} AND e.status IN ${WAITING}`,
  },
  {
    name: 'nothing-waits-in-a-finished-campaign',
    sentence: 'emails wait in campaigns that count as sent: ticks should have set them running again.',
    sql: `SELECT e.id FROM campaigns c JOIN scheduled_emails e ON e.campaign_id = c.id
      WHERE c.status = 'SENT' AND c.updated_at < ${LONG_AGO} AND e.status IN ${WAITING}`,
  },
  {
    name: 'finished-is-finished',
    sentence: 'prospects have finished a campaign, and emails still wait for them in it.',
    sql: `SELECT cp.id FROM campaign_prospects cp WHERE cp.state = 'FINISHED' AND EXISTS (
      SELECT FROM scheduled_emails e WHERE e.campaign_prospect_id = cp.id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'))`,
  },
  {
    name: 'nothing-waits-for-who-left',
    sentence: 'emails wait for people who replied, bounced, unsubscribed, or are archived, merged or erased.',
    sql: `SELECT e.id FROM prospects p JOIN campaign_prospects cp ON cp.prospect_id = p.id JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
      WHERE coalesce(p.replied_at, p.bounced_at, p.unsubscribed_at, p.archived_at, p.erased_at) IS NOT NULL AND e.status IN ${WAITING}
        OR p.merged_into_id IS NOT NULL AND e.status IN ${WAITING}`,
  },
  {
    name: 'mailbox-days-add-up',
    sentence:
      'mailbox and date pairs have counted another number of emails than left on them: limits hold by these counts.',
    sql: `WITH again AS MATERIALIZED (
        SELECT e.mailbox_id, count(DISTINCT e.id) AS emails FROM email_events v JOIN scheduled_emails e ON e.id = v.email_id
        WHERE v.reason = '${'SENT_AGAIN_BY_PERSON' satisfies MoveReason}' GROUP BY 1
      ), there AS (
        SELECT e.mailbox_id, e.reserved_date AS local_date, count(*) AS emails FROM scheduled_emails e
        WHERE e.reserved_date IS NOT NULL AND ${HOLDS_PLACE} GROUP BY 1, 2)
      SELECT coalesce(d.mailbox_id, t.mailbox_id) || ' on ' || coalesce(d.local_date, t.local_date) AS id
      FROM mailbox_days d FULL JOIN there t ON t.mailbox_id = d.mailbox_id AND t.local_date = d.local_date
      LEFT JOIN again ON again.mailbox_id = coalesce(d.mailbox_id, t.mailbox_id)
      -- An email that is sent again has a place on both dates, and tells of the second alone.
      WHERE abs(coalesce(d.reserved, 0) - coalesce(t.emails, 0)) > coalesce(again.emails, 0)`,
  },
  {
    name: 'workspace-days-add-up',
    sentence: 'workspace and date pairs have counted fewer emails than left on them: the quota holds by these counts.',
    sql: `SELECT e.workspace_id || ' on ' || e.reserved_date AS id FROM scheduled_emails e
      LEFT JOIN workspace_days d ON d.workspace_id = e.workspace_id AND d.local_date = e.reserved_date
      WHERE e.kind = 'CAMPAIGN' AND e.reserved_date IS NOT NULL AND ${HOLDS_PLACE} AND NOT ${hasEvent('SENT_AGAIN_BY_PERSON')}
      GROUP BY e.workspace_id, e.reserved_date, d.reserved HAVING count(*) > coalesce(d.reserved, 0)`,
  },
  {
    name: 'mailboxes-have-settings',
    sentence: 'mailboxes are in workspaces without sending settings: nothing leaves them.',
    sql: `SELECT m.id FROM mailboxes m WHERE m.status <> 'ARCHIVED'
      AND NOT EXISTS (SELECT FROM sending_settings s WHERE s.workspace_id = m.workspace_id)`,
  },
  {
    name: 'sending-is-not-held',
    sentence: 'holds are on sending: see npm run doctor -- --after-restore.',
    sql: `SELECT 'since ' || noticed_at AS id FROM server_sightings WHERE lifted_at IS NULL`,
  },
]
