import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'

export type Workspace = {
  id: string
  name: string
  timeZone: string
  /** A change of zone that waits for its midnight. */
  nextTimeZone: string | null
  nextTimeZoneAt: Date | null
  /** Below every campaign email; empty until one is given. */
  postalAddress: string
  /** Of its name and of its settings: rises with every change of either. */
  version: string
}

export async function readWorkspace(sql: Sql, workspaceId: string): Promise<Workspace> {
  const { rows } = await sql.query<Workspace>(
    `SELECT w.id, w.name,
            CASE WHEN s.next_time_zone_at <= app_now() THEN s.next_time_zone ELSE s.time_zone END AS "timeZone",
            CASE WHEN s.next_time_zone_at > app_now() THEN s.next_time_zone END AS "nextTimeZone",
            CASE WHEN s.next_time_zone_at > app_now() THEN s.next_time_zone_at END AS "nextTimeZoneAt",
            s.postal_address AS "postalAddress",
            w.version || '.' || s.version AS version
     FROM workspaces w JOIN sending_settings s ON s.workspace_id = w.id
     WHERE w.id = $1`,
    [workspaceId],
  )
  const workspace = rows[0]
  if (!workspace) throw notFound()
  return workspace
}
