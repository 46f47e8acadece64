import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from './audit.ts'
import type { Actor } from './person.ts'

/** A workspace with its settings and its first owner: none of the three exists without the others. */
export async function createWorkspace(
  tx: Sql,
  owner: Actor,
  { name, timeZone }: { name: string; timeZone: string },
): Promise<{ id: string; name: string; timeZone: string }> {
  const id = newId()
  await tx.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [id, name])
  await tx.query('INSERT INTO sending_settings (workspace_id, time_zone, updated_at) VALUES ($1, $2, app_now())', [
    id,
    timeZone,
  ])
  await tx.query(`INSERT INTO members (id, workspace_id, user_id, role) VALUES ($1, $2, $3, 'owner')`, [
    newId(),
    id,
    owner.id,
  ])
  await recordAudit(tx, id, {
    action: 'workspace.created',
    actor: owner,
    target: { kind: 'workspace', id, name },
    details: { timeZone },
  })
  return { id, name, timeZone }
}
