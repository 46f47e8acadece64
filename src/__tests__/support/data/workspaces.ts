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

export type WorkspaceWanted = { mailboxes?: number; settings?: Record<string, unknown>; limits?: Limits }

export async function makeWorkspace(
  sql: Sql,
  { mailboxes = 2, settings = {}, limits = {} }: WorkspaceWanted = {},
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
