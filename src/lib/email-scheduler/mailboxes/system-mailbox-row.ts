import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'

/** As good as none: what the product has to say is little, and people wait for it. */
const NO_LIMIT = 100_000

/**
 * The mailbox of the environment, as the queue knows mailboxes. One that had stopped, its password being refused, is
 * tried again with each mail: a person mends the environment, and no page.
 */
export async function ensureSystemMailbox(tx: Sql, workspaceId: string, address: string): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM mailboxes WHERE workspace_id = $1 AND address = $2 AND status = 'CONNECTED'`,
    [workspaceId, address],
  )
  if (rows[0]) return rows[0].id
  const { rows: written } = await tx.query<{ id: string }>(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, status, display_name, daily_limit, rolling_limit, created_at, updated_at)
     VALUES ($1, $2, $3, 'SMTP', 'CONNECTED', 'Sendonce', $4, $4, app_now(), app_now())
     ON CONFLICT (workspace_id, address) DO UPDATE SET status = 'CONNECTED', stopped_reason = NULL, updated_at = app_now()
     RETURNING id`,
    [newId(), workspaceId, address, NO_LIMIT],
  )
  const id = written[0]?.id
  if (!id) throw new Error('the system mailbox is neither there nor made')
  return id
}
