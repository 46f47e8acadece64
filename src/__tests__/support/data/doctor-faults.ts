import type pg from 'pg'
import { expect } from 'vitest'
import { inTransaction } from '#lib/platform/database.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { type DueCampaign, makeDueCampaign } from './emails.ts'

/** A campaign with one person: what was sent to them, and the follow-up that waits. */
export type SoundPlace = { campaign: DueCampaign; sentId: string; nextId: string }

export async function makeSoundPlace(pool: pg.Pool): Promise<SoundPlace> {
  const campaign = await makeDueCampaign(pool, { prospects: 1, delays: [0, 1] })
  await sendAll(pool, new TestProvider())
  return { campaign, sentId: campaign.emails[0]?.id ?? '', nextId: campaign.emails[1]?.id ?? '' }
}

type Values = (place: SoundPlace) => unknown[]

const id: Values = ({ sentId }) => [sentId]
const next: Values = ({ nextId }) => [nextId]
const ofCampaign: Values = ({ campaign }) => [campaign.campaignId]

/** The person of an email, in a sequence that branches. */
const inJourney = (state: 'WAITING' | 'PLAN' | 'ENDED') =>
  `INSERT INTO journeys (enrolment_id, workspace_id, campaign_id, prospect_id, sequence_id, graph_version, state, node_id, ended_at, ended_reason)
   SELECT campaign_prospect_id, workspace_id, campaign_id, prospect_id, sequence_id, 1, '${state}', 'n'
     ${state === 'ENDED' ? `, app_now(), 'WALKED_THROUGH'` : ', NULL, NULL'} FROM scheduled_emails WHERE id = $1`

const CANCELLED = `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL WHERE id = $1`

/** What breaks each invariant in a sound place, and whose id the doctor then tells. One row each. */
export const FAULTS: Record<string, [sql: string, values: Values, offends?: Values]> = {
  'accepted-once': [
    `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome)
       SELECT email_id, 99, workspace_id, 2, worker, started_at, marked_at, ended_at, 'ACCEPTED' FROM email_attempts WHERE email_id = $1`,
    id,
  ],
  'one-email-for-each-key': [
    `INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
         idempotency_key, scheduled_for, local_date, updated_at)
       SELECT gen_random_uuid(), workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
         idempotency_key, scheduled_for, local_date, app_now() FROM scheduled_emails WHERE id = $1`,
    next,
    () => [expect.stringContaining(':2')],
  ],
  'accepted-is-over': [
    `UPDATE scheduled_emails SET status = 'RETRY_SCHEDULED', sent_at = NULL, next_retry_at = app_now() + interval '1 day' WHERE id = $1`,
    id,
  ],
  'sent-is-accepted': ['DELETE FROM email_attempts WHERE email_id = $1', id],
  'unknown-was-marked': [
    `UPDATE scheduled_emails SET status = 'OUTCOME_UNKNOWN', sent_at = NULL, accepted_token = NULL WHERE id = $1`,
    id,
  ],
  'handed-over-is-kept': ['DELETE FROM email_contents WHERE email_id = $1', id],
  'ledger-balances': ['UPDATE campaign_prospects SET planned_steps = 3 WHERE campaign_id = $1', ofCampaign, ofCampaign],
  'failed-has-a-verdict': [`UPDATE scheduled_emails SET status = 'FAILED', ready_at = NULL WHERE id = $1`, next],
  'leases-end': [
    `UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, leased_by = 'w', leased_at = app_now() - interval '1 hour',
         lease_until = app_now() - interval '50 minutes' WHERE id = $1`,
    next,
  ],
  'next-step-comes': [
    `WITH plan AS (INSERT INTO workspace_plans (workspace_id, basis) SELECT workspace_id, plan_basis(workspace_id) FROM scheduled_emails WHERE id = $1)
       UPDATE scheduled_emails SET ready_at = NULL, plan_version = 1 WHERE id = $1`,
    next,
  ],
  'nothing-waits-in-vain': [
    `UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED', sent_at = NULL, accepted_token = NULL WHERE id = $1`,
    id,
    next,
  ],
  'steps-in-order': [
    `WITH first AS (UPDATE scheduled_emails SET status = 'OUTCOME_UNKNOWN', sent_at = NULL WHERE id = $1)
       UPDATE scheduled_emails SET ready_at = app_now() WHERE id = $2`,
    ({ sentId, nextId }) => [sentId, nextId],
    next,
  ],
  'nothing-waits-in-a-stopped-campaign': [
    `UPDATE campaigns SET status = 'STOPPED', updated_at = app_now() - interval '1 hour' WHERE id = $1`,
    ofCampaign,
    next,
  ],
  'nothing-waits-in-a-finished-campaign': [
    `UPDATE campaigns SET status = 'SENT', updated_at = app_now() - interval '1 hour' WHERE id = $1`,
    ofCampaign,
    next,
  ],
  'finished-is-finished': [
    `UPDATE campaign_prospects SET state = 'FINISHED' WHERE campaign_id = $1`,
    ofCampaign,
    () => [expect.any(String)],
  ],
  'nothing-waits-for-who-left': [
    `UPDATE prospects SET replied_at = app_now() WHERE id = (SELECT prospect_id FROM scheduled_emails WHERE id = $1)`,
    next,
    next,
  ],
  'actions-are-carried-out': [
    `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id)
       SELECT workspace_id, 'CANCEL', 'late', app_now() - interval '1 hour', campaign_id, campaign_prospect_id, prospect_id
       FROM scheduled_emails WHERE id = $1`,
    next,
    () => [expect.any(String)],
  ],
  'campaigns-have-their-times': [
    `UPDATE campaigns SET status = 'SCHEDULED', scheduled_at = app_now() + interval '1 day' WHERE id = $1`,
    ofCampaign,
    ofCampaign,
  ],
  'who-branches-has-a-place': [
    `UPDATE sequences SET graph = '{"nodes": []}' WHERE id = (SELECT sequence_id FROM campaigns WHERE id = $1)`,
    ofCampaign,
    () => [expect.any(String)],
  ],
  'who-waits-is-moved-on': [inJourney('WAITING'), next, () => [expect.any(String)]],
  'nobody-waits-twice': [
    `WITH ended AS (${inJourney('ENDED')})
       INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id)
       SELECT workspace_id, 'TIMEOUT', 'left behind', app_now() + interval '1 day', campaign_id, campaign_prospect_id, prospect_id, 'n'
       FROM scheduled_emails WHERE id = $1`,
    next,
    () => [expect.any(String)],
  ],
  'nobody-is-on-the-way-in-a-stopped-campaign': [
    `WITH cancelled AS (${CANCELLED}), stopped AS (
         UPDATE campaigns SET status = 'STOPPED', updated_at = app_now() - interval '1 hour'
         WHERE id = (SELECT campaign_id FROM scheduled_emails WHERE id = $1))
       ${inJourney('PLAN')}`,
    next,
    () => [expect.any(String)],
  ],
  'nobody-who-left-is-on-the-way': [
    `WITH cancelled AS (${CANCELLED}), left_by AS (
         UPDATE prospects SET replied_at = app_now() WHERE id = (SELECT prospect_id FROM scheduled_emails WHERE id = $1))
       ${inJourney('PLAN')}`,
    next,
    () => [expect.any(String)],
  ],
  'nobody-finished-is-on-the-way': [
    `WITH cancelled AS (${CANCELLED}), finished AS (
         UPDATE campaign_prospects SET state = 'FINISHED' WHERE id = (SELECT campaign_prospect_id FROM scheduled_emails WHERE id = $1))
       ${inJourney('PLAN')}`,
    next,
    () => [expect.any(String)],
  ],
  'mailbox-days-add-up': [
    `UPDATE mailbox_days SET reserved = reserved + 1 WHERE mailbox_id = $1`,
    ({ campaign }) => [campaign.mailboxIds[0]],
    ({ campaign }) => [expect.stringContaining(campaign.mailboxIds[0] ?? '')],
  ],
  'workspace-days-add-up': [
    `UPDATE workspace_days SET reserved = 0 WHERE workspace_id = $1`,
    ({ campaign }) => [campaign.workspaceId],
    ({ campaign }) => [expect.stringContaining(campaign.workspaceId)],
  ],
  'counts-add-up': [
    `UPDATE email_counts SET emails = emails + 1 WHERE workspace_id = (SELECT workspace_id FROM scheduled_emails WHERE id = $1)
       AND mailbox_id = '00000000-0000-0000-0000-000000000000' AND status = 'SENT'`,
    id,
    () => [expect.stringContaining('SENT')],
  ],
  'people-add-up': [
    `UPDATE people_counts SET people = people + 1 WHERE (owner_id, state) = (
       SELECT c.campaign_id, c.state::text FROM campaign_prospects c JOIN scheduled_emails e ON e.campaign_prospect_id = c.id WHERE e.id = $1)`,
    id,
    ({ campaign }) => [expect.stringContaining(campaign.campaignId)],
  ],
  'mailboxes-have-settings': [
    'DELETE FROM sending_settings WHERE workspace_id = $1',
    ({ campaign }) => [campaign.workspaceId],
    ({ campaign }) => campaign.mailboxIds,
  ],
  'sending-is-not-held': [
    `INSERT INTO server_sightings (server, reason) VALUES ($1, 'BY_PERSON')`,
    () => ['x'],
    () => [expect.stringContaining('since')],
  ],
}

/** With triggers and foreign keys off, as only a fault of ours or of the disk could. */
export async function plant(tx: pg.ClientBase, name: string, place: SoundPlace): Promise<void> {
  const [sql, values] = FAULTS[name] ?? ['', id]
  await tx.query('SET LOCAL session_replication_role = replica')
  // Its absence is what the check would find; everything else that Postgres holds to stays.
  if (name === 'one-email-for-each-key') await tx.query('DROP INDEX scheduled_emails_idempotency_key_key')
  // Without triggers nothing is counted: what is planted is miscounted as well, but where that alone is the fault.
  const isMiscount = name === 'counts-add-up' || name === 'people-add-up'
  if (isMiscount) await tx.query('SELECT recount_emails(), recount_people()')
  const { rowCount } = await tx.query(sql, values(place))
  expect(rowCount).toBe(1)
  if (!isMiscount) await tx.query('SELECT recount_emails(), recount_people()')
}

const TABLES = [
  ...['scheduled_emails', 'email_attempts', 'email_contents', 'campaign_prospects', 'campaigns', 'prospects'],
  ...['mailbox_days', 'workspace_days', 'workspace_plans', 'sending_settings'],
  ...['email_counts', 'email_count_changes', 'people_counts', 'people_count_changes'],
  ...['sequences', 'journeys', 'scheduled_actions'],
]

/** Keeps everything as it is now; what it answers puts it back, as a cure would. A sighting that was put back would be a restore. */
export async function remember(pool: pg.Pool): Promise<() => Promise<void>> {
  await pool.query(`DROP SCHEMA IF EXISTS kept CASCADE; CREATE SCHEMA kept;
    ${TABLES.map((table) => `CREATE TABLE kept.${table} AS TABLE ${table}`).join(';')}`)
  return () =>
    inTransaction(pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      for (const table of TABLES)
        await tx.query(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept.${table}`)
      await tx.query('DELETE FROM server_sightings WHERE lifted_at IS NULL')
      await tx.query(
        'CREATE UNIQUE INDEX IF NOT EXISTS scheduled_emails_idempotency_key_key ON scheduled_emails (idempotency_key)',
      )
    })
}
