import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'

type Row = {
  time_zone: string
  next_time_zone: string | null
  next_time_zone_at: Date | null
  sending_days: number[]
  window_start_minute: number
  window_end_minute: number
  days_off: string[]
  daily_quota: number
  ramp_up_enabled: boolean
  ramp_up_start: number
  ramp_up_increment: number
  jitter_min_seconds: number
  jitter_max_seconds: number
}

/** `held` keeps them as they are until the transaction ends: whoever changes them, or the suppression list, waits. */
export async function readSendingSettings(
  sql: Sql,
  workspaceId: string,
  lock?: 'held',
): Promise<SendingSettings | undefined> {
  const { rows } = await sql.query<Row>(
    prepared(`SELECT time_zone, next_time_zone, next_time_zone_at, sending_days, window_start_minute, window_end_minute,
       days_off::text[] AS days_off, daily_quota, ramp_up_enabled, ramp_up_start, ramp_up_increment,
       jitter_min_seconds, jitter_max_seconds
     FROM sending_settings WHERE workspace_id = $1${lock === 'held' ? ' FOR SHARE' : ''}`),
    [workspaceId],
  )
  const row = rows[0]
  if (!row) return undefined
  return {
    timeZone: row.time_zone,
    nextTimeZone: row.next_time_zone,
    nextTimeZoneAt: row.next_time_zone_at,
    sendingDays: row.sending_days,
    windowStartMinute: row.window_start_minute,
    windowEndMinute: row.window_end_minute,
    daysOff: row.days_off,
    dailyQuota: row.daily_quota,
    rampUpEnabled: row.ramp_up_enabled,
    rampUpStart: row.ramp_up_start,
    rampUpIncrement: row.ramp_up_increment,
    jitterMinSeconds: row.jitter_min_seconds,
    jitterMaxSeconds: row.jitter_max_seconds,
  }
}
