import { randomBytes } from 'node:crypto'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'

export type TestWorkspace = { workspaceId: string; mailboxIds: string[] }

type Limits = { dailyLimit?: number; rollingLimit?: number }

/** Sends on every day, all day, unless told otherwise, so that tests hold whenever they run. */
const SETTINGS: Record<string, unknown> = {
  time_zone: 'Europe/Berlin',
  sending_days: [1, 2, 3, 4, 5, 6, 7],
  window_start_minute: 0,
  window_end_minute: 1440,
  daily_quota: 100,
}

export async function makeWorkspace(
  sql: Sql,
  {
    mailboxes = 2,
    settings = {},
    limits = {},
  }: { mailboxes?: number; settings?: Record<string, unknown>; limits?: Limits } = {},
): Promise<TestWorkspace> {
  const workspaceId = newId()
  await sql.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Acme')`, [workspaceId])
  const columns = { ...SETTINGS, ...settings }
  const names = Object.keys(columns)
  await sql.query(
    `INSERT INTO sending_settings (workspace_id, updated_at, ${names.join(', ')})
     VALUES ($1, app_now(), ${names.map((_, index) => `$${index + 2}`).join(', ')})`,
    [workspaceId, ...Object.values(columns)],
  )
  const mailboxIds = Array.from({ length: mailboxes }, newId)
  await sql.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, rolling_limit, updated_at)
     SELECT id, $2, id || '@acme.test', 'SMTP', $3, $4, app_now() FROM unnest($1::uuid[]) AS id`,
    [mailboxIds, workspaceId, limits.dailyLimit ?? 40, limits.rollingLimit ?? 1000],
  )
  return { workspaceId, mailboxIds }
}

export async function makeSequence(sql: Sql, workspaceId: string, delayDays: number[]): Promise<string> {
  const sequenceId = newId()
  await sql.query(`INSERT INTO sequences (id, workspace_id, name, updated_at) VALUES ($1, $2, 'Welcome', app_now())`, [
    sequenceId,
    workspaceId,
  ])
  await sql.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, updated_at)
     SELECT gen_random_uuid(), $1, s.number, s.delay, app_now() FROM unnest($2::int[]) WITH ORDINALITY AS s(delay, number)`,
    [sequenceId, delayDays],
  )
  return sequenceId
}

export type TestCampaign = { workspaceId: string; campaignId: string; sequenceId: string }

export async function makeRunningCampaign(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  batchSize = 50,
): Promise<TestCampaign> {
  const campaignId = newId()
  await sql.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, batch_size, updated_at)
     VALUES ($1, $2, $3, 'Spring', 'RUNNING', $4, app_now())`,
    [campaignId, workspaceId, sequenceId, batchSize],
  )
  return { workspaceId, campaignId, sequenceId }
}

export async function makeProspects(sql: Sql, workspaceId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await sql.query(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
     SELECT id, $2, id || '@example.test', decode(replace(id::text, '-', ''), 'hex') || $3::bytea, app_now()
     FROM unnest($1::uuid[]) AS id`,
    [ids, workspaceId, randomBytes(4)],
  )
  return ids
}

export async function enrol(sql: Sql, { workspaceId, campaignId }: TestCampaign, prospectIds: string[]): Promise<void> {
  await sql.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id)
     SELECT e.id, $3, $4, e.prospect FROM unnest($1::uuid[], $2::uuid[]) AS e(id, prospect)`,
    [prospectIds.map(newId), prospectIds, workspaceId, campaignId],
  )
}
