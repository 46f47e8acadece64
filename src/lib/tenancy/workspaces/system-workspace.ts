import type { Sql } from '#lib/platform/database.ts'

/**
 * The workspace that the product's own mail is sent from. Nobody is a member of it and no key opens it, so that nobody
 * reads there what links such a mail holds.
 */
export const SYSTEM_WORKSPACE_ID = '00000000-0000-7000-8000-000000000000'

export async function ensureSystemWorkspace(tx: Sql): Promise<void> {
  await tx.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Sendonce') ON CONFLICT DO NOTHING`, [
    SYSTEM_WORKSPACE_ID,
  ])
  await tx.query(
    `INSERT INTO sending_settings (workspace_id, time_zone, updated_at) VALUES ($1, 'UTC', app_now()) ON CONFLICT DO NOTHING`,
    [SYSTEM_WORKSPACE_ID],
  )
}
