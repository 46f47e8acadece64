import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'

/** The columns of sending_settings, for statements that need them beside others. */
export const SENDING_SETTINGS = `time_zone AS "timeZone", next_time_zone AS "nextTimeZone", next_time_zone_at AS "nextTimeZoneAt",
       sending_days AS "sendingDays", window_start_minute AS "windowStartMinute", window_end_minute AS "windowEndMinute",
       days_off::text[] AS "daysOff", daily_quota AS "dailyQuota", ramp_up_enabled AS "rampUpEnabled",
       ramp_up_start AS "rampUpStart", ramp_up_increment AS "rampUpIncrement",
       jitter_min_seconds AS "jitterMinSeconds", jitter_max_seconds AS "jitterMaxSeconds"`

/** `held` keeps them as they are until the transaction ends: a change of them, or of the suppression list, waits. */
export async function readSendingSettings(
  sql: Sql,
  workspaceId: string,
  lock?: 'held',
): Promise<SendingSettings | undefined> {
  const { rows } = await sql.query<SendingSettings>(
    prepared(
      `SELECT ${SENDING_SETTINGS} FROM sending_settings WHERE workspace_id = $1${lock === 'held' ? ' FOR SHARE' : ''}`,
    ),
    [workspaceId],
  )
  return rows[0]
}
