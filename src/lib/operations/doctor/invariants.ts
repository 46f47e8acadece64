import type { CancelReason, MoveReason } from '#lib/email-scheduler/reasons.ts'
import * as countsOfEmails from './counts-of-emails.ts'
import * as countsOfPeople from './counts-of-people.ts'
import { emailsOn } from './emails-on.ts'
import type { Invariant } from './invariant.ts'
import { JOURNEY_INVARIANTS } from './journey-invariants.ts'
import { WALKS } from './walks.ts'

/** What ticks clear up by themselves is no fault before so much time has passed. */
const LONG_AGO = `app_now() - interval '15 minutes'`

const WAITING = `('SCHEDULED', 'RETRY_SCHEDULED')`
const ACCEPTED = `(a.outcome = 'ACCEPTED' OR a.evidence = 'ACCEPTED')`
const hasEvent = (reason: MoveReason) =>
  `EXISTS (SELECT FROM email_events v WHERE v.email_id = e.id AND v.reason = '${reason}')`
const hasEarlierStep = (condition: string) =>
  `EXISTS (SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id AND b.step_number < e.step_number AND ${condition})`
const isInCampaign = (status: 'STOPPED' | 'SENT') =>
  `EXISTS (SELECT FROM campaigns c WHERE c.id = e.campaign_id AND c.status = '${status}' AND c.updated_at < ${LONG_AGO})`

/** May have been sent on that date, so that it counts there. A dismissed one was handed over as well. */
const HOLDS_PLACE = `(e.status IN ('SENT', 'SENDING', 'OUTCOME_UNKNOWN')
  OR (e.status = 'CANCELLED' AND e.cancel_reason = '${'DISMISSED' satisfies CancelReason}' AND e.marked_token IS NOT NULL))`

const SENT_AGAIN = 'SENT_AGAIN_BY_PERSON' satisfies MoveReason

/** Asked of the catalogue, since a key that is looked for without its index is looked for in the whole table. */
const HAS_KEY_INDEX = `EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = to_regclass('scheduled_emails_idempotency_key_key')
  AND i.indisunique AND i.indisvalid AND i.indisready)`

const LOOK_AT_IT =
  'Open what is listed and compare it with the Sent folder of its mailbox. Nothing here is put right by itself; keep a backup before anybody changes a row.'
const CANCEL_THEM = 'Cancel what is listed where it should not go out; what is wanted can be sent by another campaign.'
const TICKS = 'Ticks clear this up by themselves: see that they come, and look into the log of the worker for errors.'

/** In the order of the promise: never twice, never lost, honest, polite. */
const DEFINED: readonly Invariant[] = [
  {
    name: 'accepted-once',
    sentence: 'emails were accepted more than once, and no person had chosen to send them again.',
    holds: 'No email was accepted twice, unless a person chose to send it again.',
    cure: `Sendonce has broken its promise: hold sending with npm run doctor -- --hold, and report it. ${LOOK_AT_IT}`,
    looks: [
      {
        over: 'emails',
        offends: `(SELECT count(*) FROM email_attempts a WHERE a.email_id = e.id AND ${ACCEPTED}) > 1 AND NOT ${hasEvent(SENT_AGAIN)}`,
      },
    ],
    whole: `SELECT e.id FROM (SELECT email_id FROM email_attempts a WHERE ${ACCEPTED} GROUP BY 1 HAVING count(*) > 1) twice
      JOIN scheduled_emails e ON e.id = twice.email_id WHERE NOT ${hasEvent(SENT_AGAIN)}`,
  },
  {
    name: 'one-email-for-each-key',
    sentence:
      'keys have more than one email: the unique index is damaged, and nothing may be sent before it is rebuilt.',
    holds: 'Each key has one email, and the unique index that sees to it finds every one of them.',
    cure: 'Hold sending with npm run doctor -- --hold. The index scheduled_emails_idempotency_key_key is missing or damaged: whoever runs the database finds the keys that are there twice, and rebuilds it (REINDEX).',
    looks: [
      { over: 'installation', offends: `NOT ${HAS_KEY_INDEX}` },
      {
        over: 'emails',
        // The index must lead from a key to this email and to no other.
        offends: `CASE WHEN ${HAS_KEY_INDEX}
          THEN (SELECT array_agg(o.id) FROM scheduled_emails o WHERE o.idempotency_key = e.idempotency_key) IS DISTINCT FROM ARRAY[e.id] END`,
      },
    ],
    whole: `SELECT idempotency_key AS id FROM scheduled_emails GROUP BY 1 HAVING count(*) > 1`,
    concernsAll: true,
  },
  {
    name: 'accepted-is-over',
    sentence: 'emails are not over, although an attempt is known to have been accepted.',
    holds: 'Every email of which an attempt was accepted is over.',
    cure: `Cancel what is listed before it goes out again. ${LOOK_AT_IT}`,
    looks: [
      {
        over: 'emails',
        offends: `e.status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED', 'CANCELLED')
          AND (e.accepted_token IS NOT NULL OR (e.marked_token IS NOT NULL AND EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND ${ACCEPTED})))`,
      },
    ],
  },
  {
    name: 'sent-is-accepted',
    sentence: 'emails are SENT, although no attempt was accepted and nobody took them as delivered.',
    holds: 'Every sent email was accepted by a provider, or a person took it as delivered.',
    cure: `These may never have been sent. ${LOOK_AT_IT}`,
    looks: [
      {
        over: 'emails',
        offends: `e.status = 'SENT' AND NOT EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND ${ACCEPTED}) AND NOT ${hasEvent('ASSUMED_DELIVERED')}`,
      },
    ],
  },
  {
    name: 'unknown-was-marked',
    sentence: 'emails have an unknown outcome, although they were never handed over.',
    holds: 'Every email with an unknown outcome was really handed over.',
    cure: `Nothing shows that these were handed over. ${LOOK_AT_IT}`,
    looks: [
      {
        over: 'emails',
        offends: `e.status = 'OUTCOME_UNKNOWN' AND (e.marked_token IS NULL
          OR NOT EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND a.lease_token = e.marked_token AND a.outcome = 'UNKNOWN'))`,
      },
    ],
  },
  {
    name: 'handed-over-is-kept',
    sentence: 'emails were handed over, and no copy of what went out was kept.',
    holds: 'Of everything that was handed over there is a copy.',
    cure: `What went out can be seen only in the Sent folder of the mailbox. ${LOOK_AT_IT}`,
    looks: [
      {
        over: 'emails',
        offends: `EXISTS (SELECT FROM email_attempts a WHERE a.email_id = e.id AND a.marked_at IS NOT NULL)
          AND NOT EXISTS (SELECT FROM email_contents t WHERE t.email_id = e.id)`,
      },
    ],
  },
  {
    name: 'ledger-balances',
    sentence: 'campaigns have another number of emails than their planned prospects have steps.',
    holds: 'Every planned person of a campaign has one email for each step.',
    cure: 'Open the person in their campaign: the emails that are there are listed. What is missing can be sent by another campaign.',
    looks: [
      {
        over: 'enrolments',
        offends: `cp.planned_steps <> (SELECT count(*) FROM scheduled_emails e WHERE e.campaign_prospect_id = cp.id AND e.campaign_id = cp.campaign_id)`,
      },
    ],
    whole: `SELECT c.id FROM campaigns c
      LEFT JOIN (SELECT campaign_id, sum(planned_steps) AS steps FROM campaign_prospects GROUP BY 1) w ON w.campaign_id = c.id
      LEFT JOIN (SELECT campaign_id, count(*) AS emails FROM scheduled_emails WHERE campaign_id IS NOT NULL GROUP BY 1) e ON e.campaign_id = c.id
      WHERE coalesce(w.steps, 0) <> coalesce(e.emails, 0)`,
  },
  {
    name: 'failed-has-a-verdict',
    sentence: 'emails failed, and what follows was never decided.',
    holds: 'Of every failure it is decided what follows.',
    cure: LOOK_AT_IT,
    looks: [{ over: 'emails', offends: `e.status = 'FAILED'` }],
  },
  {
    name: 'leases-end',
    sentence: 'emails have been with a worker for long after their lease ended: no tick recovers them.',
    holds: 'No worker keeps an email after its lease.',
    cure: TICKS,
    looks: [{ over: 'emails', offends: `e.status = 'SENDING' AND e.lease_until < ${LONG_AGO}` }],
  },
  {
    name: 'next-step-comes',
    sentence: 'emails wait for a step that is sent already: nothing sets them going.',
    holds: 'An email whose step before was sent has its time.',
    cure: 'Save the sending settings: what waits is planned again by that. If it stays, choose another time for what is listed.',
    looks: [
      {
        over: 'emails',
        // What the plan rests on is dear to reckon, and asked last.
        offends: `CASE WHEN e.kind = 'CAMPAIGN' AND e.status = 'SCHEDULED' AND e.ready_at IS NULL AND e.blocker IS NULL
            AND NOT ${hasEarlierStep(`b.status <> 'SENT'`)}
          THEN EXISTS (SELECT FROM workspace_plans w WHERE w.workspace_id = e.workspace_id AND w.version = e.plan_version
            AND w.basis = plan_basis(e.workspace_id)) END`,
      },
    ],
  },
  {
    name: 'nothing-waits-in-vain',
    sentence: 'emails wait for a step that will not be sent.',
    holds: 'No email waits for a step that will not be sent.',
    cure: CANCEL_THEM,
    looks: [
      {
        over: 'emails',
        offends: `e.kind = 'CAMPAIGN' AND e.status IN ${WAITING} AND ${hasEarlierStep(`b.status IN ('CANCELLED', 'PERMANENTLY_FAILED')`)}`,
      },
    ],
  },
  {
    name: 'steps-in-order',
    sentence: 'emails may be claimed, although the step before them is not sent.',
    holds: 'No email may go before the step before it.',
    cure: `The step before is looked at once more when such an email is about to go, and stops it there. ${CANCEL_THEM}`,
    looks: [
      {
        over: 'emails',
        offends: `e.kind = 'CAMPAIGN' AND e.status IN ${WAITING} AND e.ready_at IS NOT NULL AND ${hasEarlierStep(`b.status <> 'SENT'`)}`,
      },
    ],
  },
  {
    name: 'nothing-waits-in-a-stopped-campaign',
    sentence: 'emails wait in campaigns that were stopped: ticks should have cancelled them.',
    holds: 'Nothing waits in a campaign that was stopped.',
    cure: TICKS,
    looks: [{ over: 'emails', offends: `e.status IN ${WAITING} AND ${isInCampaign('STOPPED')}` }],
  },
  {
    name: 'nothing-waits-in-a-finished-campaign',
    sentence: 'emails wait in campaigns that count as sent: ticks should have set them running again.',
    holds: 'Nothing waits in a campaign that counts as sent.',
    cure: TICKS,
    looks: [{ over: 'emails', offends: `e.status IN ${WAITING} AND ${isInCampaign('SENT')}` }],
  },
  {
    name: 'finished-is-finished',
    sentence: 'prospects have finished a campaign, and emails still wait for them in it.',
    holds: 'Who has finished a campaign has nothing waiting in it.',
    cure: CANCEL_THEM,
    looks: [
      {
        over: 'enrolments',
        offends: `cp.state = 'FINISHED' AND EXISTS (
          SELECT FROM scheduled_emails e WHERE e.campaign_prospect_id = cp.id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'))`,
      },
    ],
  },
  {
    name: 'nothing-waits-for-who-left',
    sentence: 'emails wait for people who replied, bounced, unsubscribed, or are archived, merged or erased.',
    holds: 'Nothing waits for people who replied, bounced, unsubscribed, or are archived, merged or erased.',
    cure: `The person is looked at once more when such an email is about to go, and stops it there. ${CANCEL_THEM}`,
    looks: [
      {
        over: 'emails',
        offends: `e.status IN ${WAITING} AND EXISTS (
          SELECT FROM campaign_prospects cp JOIN prospects p ON p.id = cp.prospect_id WHERE cp.id = e.campaign_prospect_id
            AND (coalesce(p.replied_at, p.bounced_at, p.unsubscribed_at, p.archived_at, p.erased_at) IS NOT NULL OR p.merged_into_id IS NOT NULL))`,
      },
    ],
  },
  ...JOURNEY_INVARIANTS,
  {
    name: 'mailbox-days-add-up',
    sentence:
      'mailbox and date pairs have counted another number of emails than left on them: limits hold by these counts.',
    holds: 'Every mailbox has counted, for each day, as many emails as left on it.',
    cure: 'The limit of that day held by a wrong count. Lower the limit of the mailbox today if it counted too few.',
    looks: [
      {
        over: 'mailbox-days',
        // An email that is sent again has a place more, each time, and tells of the last alone.
        offends: `d.reserved <> ${emailsOn({ mailboxes: 'SELECT m.id, m.workspace_id FROM mailboxes m WHERE m.id = d.mailbox_id' })}
          AND abs(d.reserved - ${emailsOn({ mailboxes: 'SELECT m.id, m.workspace_id FROM mailboxes m WHERE m.id = d.mailbox_id' })}) > (
            SELECT count(*) FROM mailboxes m JOIN email_attempts a ON a.workspace_id = m.workspace_id AND a.outcome = 'UNKNOWN'
            JOIN scheduled_emails e ON e.id = a.email_id AND e.mailbox_id = m.id WHERE m.id = d.mailbox_id AND ${hasEvent(SENT_AGAIN)})`,
      },
      {
        over: 'emails',
        offends: `e.reserved_date IS NOT NULL AND ${HOLDS_PLACE}
          AND NOT EXISTS (SELECT FROM mailbox_days d WHERE d.mailbox_id = e.mailbox_id AND d.local_date = e.reserved_date)`,
      },
    ],
    whole: `WITH again AS MATERIALIZED (
        SELECT e.mailbox_id, count(*) AS emails FROM email_events v JOIN scheduled_emails e ON e.id = v.email_id
        WHERE v.reason = '${SENT_AGAIN}' GROUP BY 1
      ), there AS (
        SELECT e.mailbox_id, e.reserved_date AS local_date, count(*) AS emails FROM scheduled_emails e
        WHERE e.reserved_date IS NOT NULL AND ${HOLDS_PLACE} GROUP BY 1, 2)
      SELECT coalesce(d.mailbox_id, t.mailbox_id) || ' on ' || coalesce(d.local_date, t.local_date) AS id
      FROM mailbox_days d FULL JOIN there t ON t.mailbox_id = d.mailbox_id AND t.local_date = d.local_date
      LEFT JOIN again ON again.mailbox_id = coalesce(d.mailbox_id, t.mailbox_id)
      -- An email that is sent again has a place more, each time, and tells of the last alone.
      WHERE abs(coalesce(d.reserved, 0) - coalesce(t.emails, 0)) > coalesce(again.emails, 0)`,
  },
  {
    name: 'workspace-days-add-up',
    sentence: 'workspace and date pairs have counted fewer emails than left on them: the quota holds by these counts.',
    holds: 'Every workspace has counted, for each day, at least as many emails as left on it.',
    cure: 'The quota of that day held by a wrong count. Lower the quota of the workspace today if the day is today.',
    looks: [
      {
        over: 'workspace-days',
        offends: `CASE WHEN ${emailsOn({ mailboxes: 'SELECT m.id, m.workspace_id FROM mailboxes m WHERE m.workspace_id = d.workspace_id', and: `e.kind = 'CAMPAIGN'` })} > d.reserved
          THEN ${emailsOn({ mailboxes: 'SELECT m.id, m.workspace_id FROM mailboxes m WHERE m.workspace_id = d.workspace_id', and: `e.kind = 'CAMPAIGN' AND NOT ${hasEvent(SENT_AGAIN)}` })} > d.reserved END`,
      },
      {
        over: 'emails',
        offends: `e.kind = 'CAMPAIGN' AND e.reserved_date IS NOT NULL AND ${HOLDS_PLACE}
          AND NOT EXISTS (SELECT FROM workspace_days d WHERE d.workspace_id = e.workspace_id AND d.local_date = e.reserved_date) AND NOT ${hasEvent(SENT_AGAIN)}`,
      },
    ],
    whole: `SELECT e.workspace_id || ' on ' || e.reserved_date AS id FROM scheduled_emails e
      LEFT JOIN workspace_days d ON d.workspace_id = e.workspace_id AND d.local_date = e.reserved_date
      WHERE e.kind = 'CAMPAIGN' AND e.reserved_date IS NOT NULL AND ${HOLDS_PLACE} AND NOT ${hasEvent(SENT_AGAIN)}
      GROUP BY e.workspace_id, e.reserved_date, d.reserved HAVING count(*) > coalesce(d.reserved, 0)`,
  },
  {
    name: 'counts-add-up',
    sentence: 'counts of the email queue differ from the emails that they count.',
    holds: 'Every count of the email queue is that of the emails which are there.',
    cure: 'No email is wrong, only the numbers at the tabs. Whoever runs the database counts anew: SELECT recount_emails(). Emails wait until that is done.',
    looks: [
      { over: 'counts', offends: countsOfEmails.IS_MISCOUNTED },
      { over: 'emails', offends: countsOfEmails.HAS_NO_COUNT },
    ],
    whole: countsOfEmails.MISCOUNTED,
  },
  {
    name: 'people-add-up',
    sentence: 'counts of people differ from the people that they count.',
    holds: 'Every count of the people of a workspace, a list or a campaign is that of those who are there.',
    cure: 'Nobody is lost, only the numbers are wrong. Whoever runs the database counts anew: SELECT recount_people(). Changes of people wait until that is done.',
    looks: [
      { over: 'people-counts', offends: countsOfPeople.IS_MISCOUNTED },
      { over: 'enrolments', offends: countsOfPeople.HAS_NO_COUNT },
    ],
    whole: countsOfPeople.MISCOUNTED,
  },
  {
    name: 'mailboxes-have-settings',
    sentence: 'mailboxes are in workspaces without sending settings: nothing leaves them.',
    holds: 'Every mailbox is in a workspace with sending settings.',
    cure: 'Save the sending settings of the workspace.',
    looks: [
      {
        over: 'mailboxes',
        offends: `m.status <> 'ARCHIVED' AND NOT EXISTS (SELECT FROM sending_settings s WHERE s.workspace_id = m.workspace_id)`,
      },
    ],
  },
  {
    name: 'sending-is-not-held',
    sentence: 'holds are on sending: see npm run doctor -- --after-restore.',
    holds: 'Sending is not held.',
    cure: 'Look at what may have been sent in between, and let sending go on.',
    // Asked of the database itself, so that it is said before the first tick after a restore as well.
    looks: [{ over: 'installation', offends: 'sending_is_held()' }],
    whole: `SELECT coalesce('since ' || (SELECT noticed_at FROM server_sightings WHERE lifted_at IS NULL),
      'not noticed by a tick yet: the database is not the one seen last') AS id WHERE sending_is_held()`,
    concernsAll: true,
  },
]

/** Each with the question that the doctor asks of everything at once. */
export const INVARIANTS: readonly (Invariant & { sql: string })[] = DEFINED.map((one) => ({
  ...one,
  sql: wholeOf(one),
}))

function wholeOf({ name, whole, looks }: Invariant): string {
  if (whole !== undefined) return whole
  const [look] = looks
  if (look === undefined || look.over === 'installation') throw new Error(`${name} asks nothing of any row`)
  const { table, alias } = WALKS[look.over]
  return `SELECT ${alias}.id FROM ${table} ${alias} WHERE ${look.offends}`
}
