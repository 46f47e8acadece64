import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import type { RetryPolicy } from '#lib/platform/generated/enums.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { moveToTimeZone } from './change-workspace.ts'
import { lockWorkspace } from './lock-workspace.ts'

/** What a person sets about sending, but for the time zone, which changes by a clock of its own. */
export type SendingWishes = {
  sendingDays: readonly number[]
  windowStartMinute: number
  windowEndMinute: number
  daysOff: readonly string[]
  dailyQuota: number
  rampUpEnabled: boolean
  rampUpStart: number
  rampUpIncrement: number
  jitterMinSeconds: number
  jitterMaxSeconds: number
  retryPolicy: RetryPolicy
  retryDelaysSeconds: readonly number[]
}

export type SendingForm = SendingWishes & {
  timeZone: string
  nextTimeZone: string | null
  nextTimeZoneAt: Date | null
  /** Rises with every change. */
  version: number
}

/** As they hold now; a change of zone that waits for its midnight stands beside the zone that still counts. */
export async function readSendingForm(sql: Sql, workspaceId: string): Promise<SendingForm> {
  const { rows } = await sql.query<SendingForm>(
    `SELECT CASE WHEN next_time_zone_at <= app_now() THEN next_time_zone ELSE time_zone END AS "timeZone",
       CASE WHEN next_time_zone_at > app_now() THEN next_time_zone END AS "nextTimeZone",
       CASE WHEN next_time_zone_at > app_now() THEN next_time_zone_at END AS "nextTimeZoneAt",
       sending_days AS "sendingDays", window_start_minute AS "windowStartMinute", window_end_minute AS "windowEndMinute",
       days_off::text[] AS "daysOff", daily_quota AS "dailyQuota", ramp_up_enabled AS "rampUpEnabled",
       ramp_up_start AS "rampUpStart", ramp_up_increment AS "rampUpIncrement", jitter_min_seconds AS "jitterMinSeconds",
       jitter_max_seconds AS "jitterMaxSeconds", retry_policy AS "retryPolicy", retry_delays_seconds AS "retryDelaysSeconds", version
     FROM sending_settings WHERE workspace_id = $1`,
    [workspaceId],
  )
  const form = rows[0]
  if (!form) throw notFound()
  return form
}

/**
 * Takes the settings' row, which every mark holds in share mode: once this is answered, nothing leaves by the old ones.
 * What waits is planned again by the next tick, since the plan's basis is no longer theirs.
 */
export async function changeSendingSettings(
  tx: Sql,
  workspace: { id: string; name: string },
  actor: Actor,
  { timeZone, ...wishes }: SendingWishes & { timeZone: string },
  expected?: Expected,
): Promise<SendingForm> {
  await takeFairLock(tx, 'to change', [workspace.id])
  await lockWorkspace(tx, workspace.id, actor, 'admin')
  await tx.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR NO KEY UPDATE', [workspace.id])
  const before = await readSendingForm(tx, workspace.id)
  refuseStale(expected, before.version)
  const after: SendingWishes = {
    ...wishes,
    sendingDays: wishes.sendingDays.toSorted((a, b) => a - b),
    daysOff: [...new Set(wishes.daysOff)].sort(),
  }
  const details = differences(before, after)
  if (Object.keys(details).length > 0) {
    await write(tx, workspace.id, after)
    await recordAudit(tx, workspace.id, {
      action: 'settings.sending-changed',
      actor,
      target: { kind: 'workspace', id: workspace.id, name: workspace.name },
      details,
    })
  }
  await moveToTimeZone(tx, workspace.id, actor, timeZone)
  return readSendingForm(tx, workspace.id)
}

async function write(tx: Sql, workspaceId: string, after: SendingWishes): Promise<void> {
  await tx.query(
    `UPDATE sending_settings SET sending_days = $2, window_start_minute = $3, window_end_minute = $4, days_off = $5::date[],
       daily_quota = $6, ramp_up_enabled = $7, ramp_up_start = $8, ramp_up_increment = $9, jitter_min_seconds = $10,
       jitter_max_seconds = $11, retry_policy = $12, retry_delays_seconds = $13, updated_at = app_now()
     WHERE workspace_id = $1`,
    [
      workspaceId,
      after.sendingDays,
      after.windowStartMinute,
      after.windowEndMinute,
      after.daysOff,
      after.dailyQuota,
      after.rampUpEnabled,
      after.rampUpStart,
      after.rampUpIncrement,
      after.jitterMinSeconds,
      after.jitterMaxSeconds,
      after.retryPolicy,
      after.retryDelaysSeconds,
    ],
  )
}

/** Each setting that differs, before and after. */
function differences(before: SendingWishes, after: SendingWishes): Record<string, string | number | boolean> {
  const names = Object.keys(after) as (keyof SendingWishes)[]
  return Object.fromEntries(
    names
      .filter((name) => plain(before[name]) !== plain(after[name]))
      .flatMap((name) => [
        [`${name}Before`, plain(before[name])],
        [`${name}After`, plain(after[name])],
      ]),
  )
}

function plain(value: SendingWishes[keyof SendingWishes]): string | number | boolean {
  return typeof value === 'object' ? value.join(', ') : value
}
