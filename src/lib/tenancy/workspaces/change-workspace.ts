import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { nextLocalMidnight } from '#lib/platform/time/wall-clock.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { lockWorkspace } from './lock-workspace.ts'
import { readWorkspace } from './workspace.ts'

type Change = { name?: string; timeZone?: string }

export async function changeWorkspace(
  tx: Sql,
  workspaceId: string,
  actor: Actor,
  change: Change,
  expected?: Expected,
): Promise<void> {
  // Marks share its settings without end. Before any row, also for the postal address, which is changed after this.
  await takeFairLock(tx, 'to change', [workspaceId])
  await lockWorkspace(tx, workspaceId, actor, 'admin')
  refuseStale(expected, (await readWorkspace(tx, workspaceId)).version)
  if (change.name !== undefined) await rename(tx, workspaceId, actor, change.name)
  if (change.timeZone !== undefined) await moveToTimeZone(tx, workspaceId, actor, change.timeZone)
}

async function rename(tx: Sql, workspaceId: string, actor: Actor, name: string): Promise<void> {
  const { rows } = await tx.query<{ name: string }>('SELECT name FROM workspaces WHERE id = $1', [workspaceId])
  const before = rows[0]?.name
  if (before === undefined || before === name) return
  await tx.query('UPDATE workspaces SET name = $2 WHERE id = $1', [workspaceId, name])
  await recordAudit(tx, workspaceId, {
    action: 'workspace.renamed',
    actor,
    target: { kind: 'workspace', id: workspaceId, name },
    details: { before, after: name },
  })
}

export type ZoneChange = { nextTimeZone: string | null; nextTimeZoneAt: Date | null }

/** From the zone that counts now to another; back to the one that counts is no change. */
export function zoneChange(current: string, wanted: string, now: Date): ZoneChange {
  if (wanted === current) return { nextTimeZone: null, nextTimeZoneAt: null }
  return { nextTimeZone: wanted, nextTimeZoneAt: nextLocalMidnight(wanted, now) }
}

/** Takes effect at the next midnight of the new zone: until then the day that is running keeps its counts. */
export async function moveToTimeZone(tx: Sql, workspaceId: string, actor: Actor, timeZone: string): Promise<void> {
  const { rows } = await tx.query<{ current: string; next: string | null; name: string }>(
    `SELECT CASE WHEN s.next_time_zone_at <= app_now() THEN s.next_time_zone ELSE s.time_zone END AS current,
            CASE WHEN s.next_time_zone_at > app_now() THEN s.next_time_zone END AS next, w.name
     FROM sending_settings s JOIN workspaces w ON w.id = s.workspace_id
     WHERE s.workspace_id = $1 FOR NO KEY UPDATE OF s`,
    [workspaceId],
  )
  const settings = rows[0]
  if (!settings || timeZone === (settings.next ?? settings.current)) return
  const { nextTimeZone, nextTimeZoneAt: effectiveAt } = zoneChange(settings.current, timeZone, await appNow(tx))
  await tx.query(
    `UPDATE sending_settings
     SET time_zone = $2, next_time_zone = $3, next_time_zone_at = $4, updated_at = app_now()
     WHERE workspace_id = $1`,
    [workspaceId, settings.current, nextTimeZone, effectiveAt],
  )
  await recordAudit(tx, workspaceId, {
    action: 'workspace.time-zone-changed',
    actor,
    target: { kind: 'workspace', id: workspaceId, name: settings.name },
    details: { before: settings.current, after: timeZone, effectiveAt: effectiveAt?.toISOString() ?? null },
  })
}
