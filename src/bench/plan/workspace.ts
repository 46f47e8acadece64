import type pg from 'pg'
import { newId } from '#lib/platform/id.ts'

const PEOPLE_PER_INSERT = 20_000

export type BenchCampaign = { workspaceId: string; campaignId: string; sequenceId: string }

/** A workspace with windows, quotas, jitter and 20 mailboxes, and one running campaign with this many people. */
export async function makeBenchCampaign(
  pool: pg.Pool,
  prospects: number,
  delayDays: number[],
  batchSize: number,
): Promise<BenchCampaign> {
  const [workspaceId, sequenceId, campaignId] = [newId(), newId(), newId()]
  await pool.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Bench')`, [workspaceId])
  await pool.query(
    `INSERT INTO sending_settings (workspace_id, time_zone, daily_quota, updated_at) VALUES ($1, 'Europe/Berlin', 8000, app_now())`,
    [workspaceId],
  )
  await pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, rolling_limit, updated_at)
     SELECT gen_random_uuid(), $1, 'm' || n || '@bench.test', 'SMTP', 400, 2000, app_now() FROM generate_series(1, 20) n`,
    [workspaceId],
  )
  await pool.query(`INSERT INTO sequences (id, workspace_id, name, updated_at) VALUES ($1, $2, 'Bench', app_now())`, [
    sequenceId,
    workspaceId,
  ])
  await pool.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, updated_at)
     SELECT gen_random_uuid(), $1, number, delay, app_now() FROM unnest($2::int[]) WITH ORDINALITY AS s(delay, number)`,
    [sequenceId, delayDays],
  )
  await pool.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, batch_size, updated_at) VALUES ($1, $2, $3, 'Bench', 'RUNNING', $4, app_now())`,
    [campaignId, workspaceId, sequenceId, batchSize],
  )
  for (let done = 0; done < prospects; done += PEOPLE_PER_INSERT)
    await enrolPeople(pool, { workspaceId, campaignId, sequenceId }, Math.min(PEOPLE_PER_INSERT, prospects - done))
  await pool.query('ANALYZE')
  return { workspaceId, campaignId, sequenceId }
}

async function enrolPeople(pool: pg.Pool, { workspaceId, campaignId }: BenchCampaign, count: number): Promise<void> {
  const ids = Array.from({ length: count }, newId)
  await pool.query(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
     SELECT id, $2, id || '@example.test', sha256(id::text::bytea), app_now() FROM unnest($1::uuid[]) AS id`,
    [ids, workspaceId],
  )
  await pool.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id)
     SELECT e.id, $3, $4, e.prospect FROM unnest($1::uuid[], $2::uuid[]) AS e(id, prospect)`,
    [ids.map(newId), ids, workspaceId, campaignId],
  )
}
