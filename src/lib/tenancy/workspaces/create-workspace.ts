import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'

/** A workspace with its settings and its first owner: none of the three exists without the others. */
export async function createWorkspace(
  tx: Sql,
  owner: Actor,
  { name, timeZone }: { name: string; timeZone: string },
): Promise<{ id: string; name: string; timeZone: string }> {
  await refuseOneTooMany(tx, owner.id)
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

const WORKSPACES_OWNED_MAX = 20

/** With the person locked, so that many asked for at once are counted one after the other. */
async function refuseOneTooMany(tx: Sql, personId: string): Promise<void> {
  await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [personId])
  const { rows } = await tx.query<{ owned: number }>(
    `SELECT count(*)::int AS owned FROM members WHERE user_id = $1 AND role = 'owner'`,
    [personId],
  )
  const owned = rows[0]?.owned ?? 0
  if (owned < WORKSPACES_OWNED_MAX) return
  throw new PublicError(
    409,
    'too-many-workspaces',
    `You own ${owned} workspaces, and nobody owns more than ${WORKSPACES_OWNED_MAX}. Leave or hand over one that you do not need.`,
  )
}
