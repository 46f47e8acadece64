import type { Sql } from '#lib/platform/database.ts'

export type PlanLock = {
  version: number
  serial: number
  /** The fingerprint of settings and mailboxes under which the plan was made; empty before the first. */
  basis: string
  /** Theirs as they are now. */
  currentBasis: string
}

/**
 * The workspace's plan is ours until the transaction ends: batches of several campaigns, and planning again, take
 * their turns here. It is the first lock that they take.
 */
export async function lockPlan(tx: Sql, workspaceId: string): Promise<PlanLock> {
  await tx.query(
    `INSERT INTO workspace_plans (workspace_id, basis) VALUES ($1, '') ON CONFLICT (workspace_id) DO NOTHING`,
    [workspaceId],
  )
  const { rows } = await tx.query<PlanLock>(
    `SELECT version, serial, basis, plan_basis(workspace_id) AS "currentBasis" FROM workspace_plans WHERE workspace_id = $1 FOR UPDATE`,
    [workspaceId],
  )
  const lock = rows[0]
  if (!lock) throw new Error(`the plan of workspace ${workspaceId} went away under its lock`)
  return lock
}

/**
 * Answers the version that counts now. Where settings or mailboxes have changed it is a new one, whose days begin with
 * what was really sent, and everything that waits under the old one is to be planned again.
 */
export async function settleVersion(tx: Sql, workspaceId: string, lock: PlanLock, horizon: string): Promise<number> {
  if (lock.basis === lock.currentBasis) return lock.version
  const version = lock.basis === '' ? lock.version : lock.version + 1
  await tx.query('UPDATE workspace_plans SET basis = $2, version = $3 WHERE workspace_id = $1', [
    workspaceId,
    lock.currentBasis,
    version,
  ])
  await tx.query('DELETE FROM planned_days WHERE workspace_id = $1 AND plan_version < $2', [workspaceId, version])
  await tx.query(
    `INSERT INTO planned_days (mailbox_id, plan_version, local_date, workspace_id, emails, first_at, first_jitter_seconds, last_at)
     SELECT d.mailbox_id, $2, d.local_date, $1, d.reserved, app_now(), 0, app_now()
     FROM mailbox_days d JOIN mailboxes m ON m.id = d.mailbox_id
     WHERE m.workspace_id = $1 AND d.local_date >= $3 AND d.reserved > 0
     ON CONFLICT DO NOTHING`,
    [workspaceId, version, horizon],
  )
  return version
}

export async function raiseSerial(tx: Sql, workspaceId: string): Promise<number> {
  const { rows } = await tx.query<{ serial: number }>(
    'UPDATE workspace_plans SET serial = serial + 1 WHERE workspace_id = $1 RETURNING serial',
    [workspaceId],
  )
  return rows[0]?.serial ?? 0
}

/** Workspaces of which something waits under an older version, or whose settings or mailboxes have changed. */
export async function workspacesToReplan(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ workspace_id: string }>(
    `SELECT p.workspace_id FROM workspace_plans p
     WHERE p.basis <> plan_basis(p.workspace_id)
       OR EXISTS (SELECT FROM scheduled_emails e WHERE e.workspace_id = p.workspace_id AND e.status = 'SCHEDULED'
                  AND e.plan_version < p.version)`,
  )
  return rows.map((row) => row.workspace_id)
}
