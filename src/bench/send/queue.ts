import type pg from 'pg'
import { newId } from '#lib/platform/id.ts'

export type Queue = { workspaceId: string; mailboxIds: string[]; campaignIds: string[] }

type Wanted = { emails: number; mailboxes: number; campaigns: number }

/** A workspace without limits or pauses, all of whose emails are due now: of each campaign the same number, over all mailboxes. */
export async function fillQueue(pool: pg.Pool, { emails, mailboxes, campaigns }: Wanted): Promise<Queue> {
  const workspaceId = newId()
  const ids = (count: number) => Array.from({ length: count }, newId)
  const [mailboxIds, campaignIds, sequenceIds] = [ids(mailboxes), ids(campaigns), ids(campaigns)]
  await pool.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Bench')`, [workspaceId])
  await pool.query(
    `INSERT INTO sending_settings (workspace_id, updated_at, sending_days, window_start_minute, window_end_minute, daily_quota,
       jitter_min_seconds, jitter_max_seconds, postal_address)
     VALUES ($1, app_now(), '{1,2,3,4,5,6,7}', 0, 1440, 1000000, 0, 0, 'Bench Ltd, 1 Main Street, Springfield')`,
    [workspaceId],
  )
  await pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, rolling_limit, updated_at)
     SELECT id, $2, 'm' || n || '@bench.test', 'SMTP', 1000000, 1000000, app_now() FROM unnest($1::uuid[]) WITH ORDINALITY AS m(id, n)`,
    [mailboxIds, workspaceId],
  )
  await pool.query(
    `INSERT INTO sequences (id, workspace_id, name, updated_at) SELECT id, $2, 'Bench', app_now() FROM unnest($1::uuid[]) id`,
    [sequenceIds, workspaceId],
  )
  await pool.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, subject, body_text, body_html, updated_at)
     SELECT gen_random_uuid(), id, 1, 'Hello {{firstName | "there"}}', 'A word about {{company | "your company"}}.', '', app_now()
     FROM unnest($1::uuid[]) id`,
    [sequenceIds],
  )
  await pool.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, updated_at)
     SELECT c.id, $3, c.sequence, 'Bench', 'RUNNING', app_now() FROM unnest($1::uuid[], $2::uuid[]) AS c(id, sequence)`,
    [campaignIds, sequenceIds, workspaceId],
  )
  await pool.query(
    `WITH p AS (
       INSERT INTO prospects (id, workspace_id, email, email_hash, first_name, company, updated_at)
       SELECT gen_random_uuid(), $1, 'p' || n || '@example.test', sha256(n::text::bytea), 'Ada', 'Acme', app_now() FROM generate_series(0, $2::int - 1) n
       RETURNING id, substr(email, 2, strpos(email, '@') - 2)::int AS n
     ), cp AS (
       INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps, mailbox_id)
       SELECT gen_random_uuid(), $1, ($3::uuid[])[n % cardinality($3::uuid[]) + 1], id, 'ACTIVE', app_now(), 1, ($5::uuid[])[n % cardinality($5::uuid[]) + 1] FROM p
       RETURNING id, campaign_id, prospect_id, mailbox_id)
     INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
       idempotency_key, scheduled_for, local_date, ready_at, updated_at)
     SELECT gen_random_uuid(), $1, cp.campaign_id, cp.id, cp.prospect_id, s.id, 1, cp.mailbox_id, cp.prospect_id || ':' || s.id || ':1',
       app_now(), app_now()::date, app_now(), app_now()
     FROM cp JOIN unnest($3::uuid[], $4::uuid[]) AS s(campaign, id) ON s.campaign = cp.campaign_id`,
    [workspaceId, emails, campaignIds, sequenceIds, mailboxIds],
  )
  await pool.query('ANALYZE')
  return { workspaceId, mailboxIds, campaignIds }
}
