import { EXPIRED_LEASES } from '#lib/email-scheduler/recover.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { TickSummary } from './tick.ts'

/** Vercel calls every 5 minutes and may miss a call; three missed ones are no coincidence. */
const TICK_OVERDUE_SECONDS = 15 * 60

/** Workers that have been gone for so long are forgotten: each start of one has a name of its own. */
const FORGOTTEN_AFTER = '7 days'

export type TickStart = {
  startedAt: Date
  /** Nothing is known of the database server yet, or it is not the one seen last: asked here, so that it costs no statement. */
  mustLookAtServer: boolean
  /** Asked here for the same reason. */
  hasExpiredLeases: boolean
}

export async function recordTickStart(sql: Sql, worker: string): Promise<TickStart> {
  const { rows } = await sql.query<TickStart>(
    `WITH forgotten AS (DELETE FROM worker_ticks WHERE worker <> $1 AND started_at < app_now() - $2::interval)
     INSERT INTO worker_ticks (worker, started_at) VALUES ($1, app_now())
     ON CONFLICT (worker) DO UPDATE SET started_at = app_now()
     RETURNING started_at AS "startedAt", sending_is_held() OR NOT EXISTS (SELECT FROM server_sightings) AS "mustLookAtServer",
       EXISTS (${EXPIRED_LEASES}) AS "hasExpiredLeases"`,
    [worker, FORGOTTEN_AFTER],
  )
  const row = rows[0]
  if (!row) throw new Error('the heartbeat was not written')
  return row
}

export async function recordTickEnd(sql: Sql, worker: string, summary: TickSummary): Promise<void> {
  await sql.query('UPDATE worker_ticks SET finished_at = app_now(), summary = $2 WHERE worker = $1', [worker, summary])
}

export type LastTick = { at: Date | null; ageSeconds: number | null; ok: boolean; sentence: string }

/** Does the cron come? Said plainly, since without it nothing is sent. */
export async function readLastTick(sql: Sql): Promise<LastTick> {
  const { rows } = await sql.query<{ at: Date | null; age_seconds: number | null }>(
    `SELECT max(started_at) AS at, floor(extract(epoch FROM app_now() - max(started_at)))::int AS age_seconds FROM worker_ticks`,
  )
  const { at, age_seconds: age } = rows[0] ?? { at: null, age_seconds: null }
  if (at === null || age === null) {
    return {
      at: null,
      ageSeconds: null,
      ok: false,
      sentence: 'No tick has come yet: nothing is sent until cron calls /api/cron/send-emails.',
    }
  }
  const ageSeconds = Math.max(0, age)
  if (ageSeconds > TICK_OVERDUE_SECONDS) {
    return {
      at,
      ageSeconds,
      ok: false,
      sentence: `The last tick came ${Math.floor(ageSeconds / 60)} minutes ago: nothing is sent until cron calls again.`,
    }
  }
  return { at, ageSeconds, ok: true, sentence: 'Ticks come as they should.' }
}
